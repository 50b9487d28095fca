// Hands at the virtual table: a piece is taken from the tray or the board, turned, and laid down.

import {pieceNode} from './side.js';
import {flip, middle, reach, rotate} from './turning.js';
import {colourName, t} from './words.js';

const GHOST = 30, TAP = 6;  // pixels: of a cell in the hand, and what is no drag yet

/** One hand. `ask` sends what it does, `say` tells it in words, `now` gives rules, game and virtual, `changed` redraws. */
export class Hand {
  #picture; #ask; #say; #now; #changed;
  #held = null;  // {piece, colour, way, at: the first cell or null}
  #ghost = null;
  #drag = null;
  tool = '';

  constructor(node, picture, {ask, say, now, changed}) {
    this.#picture = picture; this.#ask = ask; this.#say = say; this.#now = now; this.#changed = changed;
    node.addEventListener('pointerdown', (event) => this.#touch(event));
    node.addEventListener('keydown', (event) => this.#boardKey(event));
    node.addEventListener('wheel', (event) => this.#wheel(event), {passive: false});
    addEventListener('pointermove', (event) => this.#move(event));
    addEventListener('pointerup', (event) => this.#drop(event));
    addEventListener('pointercancel', () => { this.#drag = null; });
    addEventListener('wheel', (event) => { if (this.#drag) this.#wheel(event); }, {passive: false});
    addEventListener('contextmenu', (event) => { if (this.#drag) { event.preventDefault(); this.flip(); } });
    addEventListener('touchmove', (event) => { if (this.#drag) event.preventDefault(); }, {passive: false});
    addEventListener('pointerdown', (event) => { if (this.#drag && event.pointerId !== this.#drag.id) this.turn(); });
  }

  get holds() { return this.#held !== null; }

  /** Pieces of the tray that lie on the board, recorded or not: name -> how many. */
  lyingOf(colour) {
    const {game, virtual} = this.#now(), count = {};
    for (const piece of virtual?.pieces ?? []) if (piece.colour === colour) count[piece.piece] = (count[piece.piece] ?? 0) + 1;
    for (const turn of game.history) if (turn.colour === colour && turn.piece) count[turn.piece] = (count[turn.piece] ?? 0) - 1;
    if (this.#held?.colour === colour) count[this.#held.piece] = (count[this.#held.piece] ?? 0) + 1;
    return count;
  }

  /** The pieces of the tray can be taken. */
  offer(tray) {
    for (const button of tray.querySelectorAll('button[data-piece]')) {
      const {piece, colour} = button.dataset;
      button.onpointerdown = (event) => {
        if (event.button) return;
        this.#take(piece, colour, null);
        this.#begin(event);
      };
      button.onclick = (event) => { if (event.detail === 0) this.take(piece, colour); };
      button.onkeydown = (event) => {
        const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
        if (!step) return;
        event.preventDefault();
        const all = [...tray.querySelectorAll('li:not([hidden]) button')];
        all.at((all.indexOf(button) + step) % all.length).focus();
      };
    }
  }

  /** Take a piece and hold it over the middle of the board, to be moved by keys or by taps. */
  take(piece, colour, way = null) {
    this.#take(piece, colour, way);
    this.#aim(this.#middleOfBoard());
    this.#picture.focus();
    this.#tell();
  }

  turn(sign = 1) { this.#reshape((ways, way, board) => rotate(ways, way, board.kinds, sign)); }

  flip() { this.#reshape((ways, way, board) => flip(ways, way, board.kinds, board.levels > 1)); }

  putBack() {
    if (!this.#held) return;
    const {piece, colour} = this.#held;
    this.#let();
    this.#say(t('hand.back', {colour: colourName(colour), piece}));
  }

  /** Lay it down where it is held. */
  async lay() {
    const held = this.#held, cells = this.#cells();
    if (!held || !cells) return;
    if (this.#blocked(cells)) { this.#say(t('hand.blocked')); return; }
    this.#let();
    const [row0, col0] = this.#now().rules.board.at;
    await this.#ask({do: 'lay', colour: held.colour, piece: held.piece, cells: cells.map(([row, col]) => [row + row0, col + col0])});
    this.#say(t('hand.laid', {piece: held.piece, ...this.#place(cells)}));
  }

  /** Take up what lies at a cell of the board or, without one, what was laid last. */
  async lift(cell = null, event = null) {
    const {rules, virtual} = this.#now(), [row0, col0] = rules.board.at;
    const lies = (piece) => !cell || piece.cells.some(([row, col]) => row === cell[0] + row0 && col === cell[1] + col0);
    const found = (virtual?.pieces ?? []).filter(lies).at(-1);
    if (!found) return;
    const way = this.#wayOf(found);
    if (event) { this.#take(found.piece, found.colour, way); this.#begin(event); }
    try {
      await this.#ask({do: 'lift', at: found.cells[0].slice(0, 2)});
    } catch (error) {
      this.#let();
      throw error;
    }
    if (!event && way !== null) this.take(found.piece, found.colour, way);
    this.#say(t('hand.lifted', {colour: colourName(found.colour), piece: found.piece}));
  }

  /** Show again what is held: the board was laid out anew. */
  show() {
    const cells = this.#cells();
    this.#picture.hold(cells, this.#held?.colour, cells && this.#fits(cells));
  }

  #take(piece, colour, way) {
    this.#held = {piece, colour, way: way ?? 0, at: null};
    this.#changed();
  }

  #let() {
    this.#held = null;
    this.#drag = null;
    this.#ghost?.remove();
    this.#ghost = null;
    this.show();
    this.#changed();
  }

  #begin(event) {
    event.preventDefault();
    this.#drag = {id: event.pointerId, x: event.clientX, y: event.clientY, far: false, touch: event.pointerType === 'touch', last: event};
    event.target.releasePointerCapture?.(event.pointerId);
  }

  #move(event) {
    if (!this.#drag || event.pointerId !== this.#drag.id || !this.#held) return;
    this.#drag.last = event;
    this.#drag.far ||= Math.hypot(event.clientX - this.#drag.x, event.clientY - this.#drag.y) > TAP;
    if (!this.#drag.far) return;
    this.#aim(this.#picture.point(event.clientX, event.clientY - (this.#drag.touch ? 60 : 0)));
    this.#drawGhost(event);
  }

  #drop(event) {
    const drag = this.#drag;
    if (!drag || event.pointerId !== drag.id) return;
    this.#drag = null;
    this.#ghost?.remove();
    this.#ghost = null;
    if (!this.#held) return;
    if (!drag.far) { if (!this.#held.at) this.take(this.#held.piece, this.#held.colour, this.#held.way); return; }
    if (!this.#held.at) { this.putBack(); return; }
    this.#try(this.lay());
  }

  #touch(event) {
    const {rules, virtual} = this.#now();
    if (!virtual || !rules || event.button) return;
    const point = this.#picture.point(event.clientX, event.clientY), cell = this.#nearest(point), [row0, col0] = rules.board.at;
    if (!cell) return;
    if (this.tool) {
      const at = [cell[0] + row0, cell[1] + col0];
      this.#try(this.#ask(this.tool === 'bump' ? {do: 'bump', at} : {do: 'sensor', at, fault: this.tool}));
    } else if (this.#drag) {
      return;  // a second finger turns what the first one holds
    } else if (this.#held) {
      this.#aim(point);
      this.#begin(event);
    } else {
      this.#try(this.lift(cell, event));
    }
  }

  #wheel(event) {
    if (!this.#held) return;
    event.preventDefault();
    this.turn(event.deltaY < 0 ? -1 : 1);
  }

  #boardKey(event) {
    const step = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]}[event.key];
    if (!this.#held || event.ctrlKey || event.metaKey || event.altKey) return;
    if (step) this.#step(step);
    else if (event.key === 'Enter' || event.key === ' ') this.#try(this.lay());
    else return;
    event.preventDefault();
  }

  #step([down, right]) {
    const {board} = this.#now().rules, held = this.#held, way = this.#way();
    if (!held.at) { this.#aim(this.#middleOfBoard()); return; }
    for (let far = 1; far <= 2; far++) {  // a triangle lies so in every second cell only
      const [row, col] = [held.at[0] + down * far, held.at[1] + right * far];
      const beside = board.kinds > 1 && down ? [[row, col], [row, col + 1], [row, col - 1]] : [[row, col]];
      for (const at of beside) {
        if (board.kinds > 1 && this.#kind(at) !== way.kind) continue;
        if (!this.#cellsAt(at)) continue;
        held.at = at;
        this.show();
        this.#tell();
        return;
      }
    }
  }

  #reshape(change) {
    if (!this.#held) return;
    const {rules} = this.#now(), held = this.#held, from = held.at && this.#center();
    held.way = change(rules.pieces[held.piece], held.way, rules.board);
    if (from) this.#aim(from);
    if (this.#drag?.far) this.#drawGhost(this.#drag.last);
    if (!this.#drag) this.#tell();
  }

  #aim(point) {
    const {board} = this.#now().rules, way = this.#way(), [dx, dy] = reach(way, board.kinds);
    let best = null, closest = 2;
    for (const [row, col, kind] of point ? board.cells : []) {
      if (board.kinds > 1 && kind !== way.kind) continue;
      const [x, y] = middle([row, col], board.kinds, board.kinds > 1 ? this.#kind([row, col]) : 0);
      const far = Math.hypot(x + dx - point[0], y + dy - point[1]);
      if (far < closest && this.#cellsAt([row, col])) { best = [row, col]; closest = far; }
    }
    this.#held.at = best;
    this.show();
  }

  #center() {
    const {board} = this.#now().rules, [x, y] = middle(this.#held.at, board.kinds, this.#kind(this.#held.at));
    const [dx, dy] = reach(this.#way(), board.kinds);
    return [x + dx, y + dy];
  }

  #middleOfBoard() {
    const {board} = this.#now().rules;
    return board.kinds === 1 ? [board.cols / 2, board.rows / 2] : [(board.cols + 1) / 4, board.rows * Math.sqrt(3) / 4];
  }

  #kind([row, col]) {
    const {board} = this.#now().rules;
    return board.kinds === 1 ? 0 : (row + col + board.parity) % 2;
  }

  #way() { return this.#now().rules.pieces[this.#held.piece][this.#held.way]; }

  #cells() { return this.#held?.at ? this.#cellsAt(this.#held.at) : null; }

  /** Where it would lie with its first cell there; null where it does not fit on the board. Blocks fall. */
  #cellsAt([row0, col0]) {
    const {board} = this.#now().rules, on = this.#onBoard(), cells = this.#way().cells;
    const flat = cells.map(([row, col]) => [row + row0, col + col0]);
    if (!flat.every((cell) => on.has(String(cell)))) return null;
    if (board.levels === 1) return flat;
    const height = this.#heights(), lowest = {};
    cells.forEach(([, , level = 0], i) => { const key = String(flat[i]); lowest[key] = Math.min(lowest[key] ?? Infinity, level); });
    const base = Math.max(...Object.entries(lowest).map(([key, level]) => (height.get(key) ?? 0) - level));
    return flat.map((cell, i) => [...cell, base + (cells[i][2] ?? 0)]);
  }

  #boardSet = null;
  #onBoard() {
    const {board} = this.#now().rules;
    if (this.#boardSet?.board !== board) this.#boardSet = {board, cells: new Set(board.cells.map(([row, col]) => `${row},${col}`))};
    return this.#boardSet.cells;
  }

  #heights() {
    const {rules, virtual} = this.#now(), [row0, col0] = rules.board.at, height = new Map();
    for (const {cells} of virtual?.pieces ?? []) for (const [row, col] of cells) {
      const key = `${row - row0},${col - col0}`;
      height.set(key, (height.get(key) ?? 0) + 1);
    }
    return height;
  }

  #blocked(cells) {
    const {board} = this.#now().rules, height = this.#heights();
    return board.levels === 1 && cells.some((cell) => height.has(String(cell)));
  }

  /** Whether the rules would have it there, as far as a hand can see; the table has the last word. */
  #fits(cells) {
    const {rules, game} = this.#now(), {board} = rules, {colour} = this.#held;
    if (this.#blocked(cells)) return false;
    if (board.levels > 1) {
      const height = this.#heights(), own = new Set(cells.map(String));
      return cells.every(([row, col, level]) => level < board.levels && (level === (height.get(`${row},${col}`) ?? 0) || own.has(`${row},${col},${level - 1}`)));
    }
    const own = new Set(game.history.filter((turn) => turn.colour === colour).flatMap((turn) => turn.cells.map(String)));
    const sides = ([row, col]) => board.kinds === 1 ? [[row - 1, col], [row + 1, col], [row, col - 1], [row, col + 1]]
      : [[row, col - 1], [row, col + 1], [this.#kind([row, col]) ? row - 1 : row + 1, col]];
    if (cells.some((cell) => sides(cell).some((side) => own.has(String(side))))) return false;
    const live = new Set(game.corners.map(String));
    return !live.size || cells.some((cell) => live.has(String(cell)));
  }

  #nearest(point) {
    const {board} = this.#now().rules;
    let best = null, closest = 0.75;
    for (const [row, col] of point ? board.cells : []) {
      const [x, y] = middle([row, col], board.kinds, this.#kind([row, col])), far = Math.hypot(x - point[0], y - point[1]);
      if (far < closest) { best = [row, col]; closest = far; }
    }
    return best;
  }

  #wayOf({piece, cells}) {
    const {rules} = this.#now(), ways = rules.pieces[piece];
    if (!ways) return null;
    const normal = (all) => {
      const low = [0, 1, 2].map((i) => Math.min(...all.map((cell) => cell[i] ?? 0)));
      return all.map((cell) => low.map((least, i) => (cell[i] ?? 0) - least).join()).sort().join(';');
    };
    const [row0, col0] = rules.board.at, first = [...cells].map(([row, col, level]) => [row - row0, col - col0, level]);
    const start = [...first].sort((a, b) => a[2] - b[2] || a[0] - b[0] || a[1] - b[1])[0];
    const found = ways.findIndex((way) => normal(way.cells) === normal(first)
      && (rules.board.kinds === 1 || this.#kind([start[0], start[1]]) === (((way.kind + Math.min(...way.cells.map(([r]) => r))
        + Math.min(...way.cells.filter(([r]) => r === Math.min(...way.cells.map(([q]) => q))).map(([, c]) => c))) % 2) + 2) % 2));
    return Math.max(0, found);
  }

  #place(cells) {
    const [row, col, level] = cells.reduce((a, b) => (b[0] - a[0] || b[1] - a[1]) < 0 ? b : a);
    return {row: row + 1, col: col + 1, level: (level ?? 0) + 1};
  }

  #tell() {
    const cells = this.#cells();
    if (cells) this.#say(t(this.#fits(cells) ? 'hand.fits' : 'hand.no', {colour: colourName(this.#held.colour), piece: this.#held.piece, ...this.#place(cells)}));
  }

  #drawGhost(event) {
    const {rules} = this.#now(), node = pieceNode(this.#way(), this.#held.colour, rules.board, GHOST, '');
    this.#ghost?.remove();
    this.#ghost = null;
    if (this.#held.at) return;  // over the board it is drawn where it would lie
    node.classList.add('ghost');
    node.style.left = `${event.clientX - node.getAttribute('width') / 2}px`;
    node.style.top = `${event.clientY - node.getAttribute('height') / 2 - (this.#drag?.touch ? 60 : 0)}px`;
    document.body.append(node);
    this.#ghost = node;
  }

  async #try(doing) { try { await doing; } catch (error) { this.#say(error.message); } }
}
