// The fault panel of the virtual table: pull the cable, break sensors, knock pieces.

import {t} from './words.js';

const TOOLS = ['bump', 'on', 'off', 'flicker', 'none'];

/** Draw it. `hand.tool` is what the next touch of the board does. */
export function showFaults(node, virtual, hand, ask) {
  node.hidden = !virtual;
  if (!virtual) return;
  if (!node.firstChild) {
    node.innerHTML = `<summary>${t('faults')}</summary><div class="keys"></div>`;
    const keys = node.querySelector('.keys'), cable = document.createElement('button');
    cable.className = 'key cable';
    keys.append(cable, ...TOOLS.map((tool) => {
      const button = document.createElement('button');
      button.className = 'key';
      button.dataset.tool = tool;
      button.textContent = t(`fault.${tool}`);
      button.onclick = () => {
        hand.tool = hand.tool === tool ? '' : tool;
        for (const other of node.querySelectorAll('[data-tool]')) other.setAttribute('aria-pressed', String(other.dataset.tool === hand.tool));
      };
      return button;
    }));
    node.ontoggle = () => { if (!node.open) { hand.tool = ''; for (const other of node.querySelectorAll('[data-tool]')) other.setAttribute('aria-pressed', 'false'); } };
  }
  const cable = node.querySelector('.cable');
  cable.textContent = t(virtual.plugged ? 'fault.unplug' : 'fault.plug');
  cable.onclick = () => ask({do: 'cable', plugged: !virtual.plugged});
}
