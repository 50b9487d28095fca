// The websocket to the table: opens it again when it is lost, hands on what comes, answers to what was asked.

const AGAIN_MS = [300, 600, 1200, 2500, 5000];

export class Link extends EventTarget {
  #socket = null;
  #tries = 0;
  #asked = new Map();
  #number = 0;

  open() {
    const socket = new WebSocket(`ws://${location.host}/live`);
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => { this.#tries = 0; this.#tell('up', null); };
    socket.onmessage = ({data}) => this.#take(data);
    socket.onclose = () => {
      for (const {reject} of this.#asked.values()) reject(new Error('lost'));
      this.#asked.clear();
      this.#tell('down', null);
      setTimeout(() => this.open(), AGAIN_MS[Math.min(this.#tries++, AGAIN_MS.length - 1)]);
    };
    this.#socket = socket;
  }

  /** Open it anew, so that the table sees a new cookie. */
  renew() { this.#socket.close(); }

  /** Ask the table for something; resolves to what it answers, rejects with its reason. */
  ask(wanted) {
    const id = ++this.#number;
    return new Promise((resolve, reject) => {
      if (this.#socket?.readyState !== WebSocket.OPEN) { reject(new Error('lost')); return; }
      this.#asked.set(id, {resolve, reject});
      this.#socket.send(JSON.stringify({...wanted, id}));
    });
  }

  #take(data) {
    if (data instanceof ArrayBuffer) { this.#tell('frame', new Uint8Array(data)); return; }
    const fact = JSON.parse(data);
    if (fact.t !== 'answer') { this.#tell(fact.t, fact); return; }
    const asked = this.#asked.get(fact.id);
    this.#asked.delete(fact.id);
    if (fact.ok) asked?.resolve(fact.data);
    else asked?.reject(new Error(fact.error));
  }

  #tell(kind, detail) { this.dispatchEvent(new CustomEvent(kind, {detail})); }
}
