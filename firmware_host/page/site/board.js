// The board: bare cells, light, pieces, light through the pieces, marks. The same black object in both themes.

import {SquareLights, TriangleLights} from './lights.js';
import {corners, extent, kindOf, pieceMarkup, svg} from './shapes.js';

const UNIT = 35;  // a cell in the drawing's own pixels; CSS scales the whole

export class BoardPicture {
  #node;
  #rules = null;
  #frame = null;
  #lights = null;
  #pieces = null;
  #marks = null;
  #held = null;

  constructor(node) { this.#node = node; }

  /** Lay out another board. `rules` is what the table says of the game. */
  lay(rules) {
    const board = rules.board, [width, height] = extent(board);
    this.#rules = rules;
    this.#node.replaceChildren();
    this.#node.style.setProperty('--cols', width);
    this.#node.style.setProperty('--rows', height);
    this.#node.append(this.#layer(board.cells.map((cell) => bare(cell, board)).join(''), 'bare'));
    this.#lights = board.kinds === 1 ? new SquareLights(board) : new TriangleLights(board, corners, [width, height]);
    const [halo, ...others] = this.#lights.layers, through = others.pop();
    this.#pieces = this.#layer('', 'pieces');
    this.#marks = this.#layer('', 'marks');
    this.#held = this.#layer('', 'held');
    this.#node.append(halo, ...others, this.#pieces, ...(through ? [through] : []), this.#marks, this.#held);
    this.draw();
  }

  /** Show these turns, and crosses on the cells of what is wrong. */
  show(turns, wrong = []) {
    const {board} = this.#rules, plastic = new Array(board.rows * board.cols).fill(null), tops = new Map();
    let markup = '';
    for (const {colour, cells} of turns) {
      if (!cells.length) continue;
      const flat = [...new Map(cells.map((cell) => [`${cell[0]},${cell[1]}`, cell.slice(0, 2)])).values()];
      markup += pieceMarkup(flat, UNIT, colour, board);
      for (const [row, col, level = 0] of cells) {
        plastic[row * board.cols + col] = colour;
        tops.set(`${row},${col}`, Math.max(level, tops.get(`${row},${col}`) ?? 0));
      }
    }
    if (board.levels > 1) {
      for (const [cell, level] of tops) {
        const [row, col] = cell.split(',').map(Number);
        markup += `<text class="height" x="${(col + 0.5) * UNIT}" y="${(row + 0.5) * UNIT}">${level + 1}</text>`;
      }
    }
    this.#pieces.innerHTML = markup;
    this.#lights.cover(plastic);
    this.#marks.innerHTML = board.kinds > 1 ? '' : wrong.map(([row, col]) =>
      `<path d="M${(col + 0.32) * UNIT} ${(row + 0.32) * UNIT}l${0.36 * UNIT} ${0.36 * UNIT}m0 ${-0.36 * UNIT}l${-0.36 * UNIT} ${0.36 * UNIT}"/>`).join('');
    this.draw();
  }

  /** Show a piece that is held over these cells, lit as the table would light it; null: there is none. */
  hold(cells, colour, fits) {
    if (!this.#held) return;
    const {board} = this.#rules;
    if (!cells) { this.#held.innerHTML = ''; return; }
    const flat = [...new Map(cells.map((cell) => [`${cell[0]},${cell[1]}`, cell.slice(0, 2)])).values()];
    const light = flat.map((cell) => `<polygon class="${fits ? 'fits' : 'no'}" points="${corners(cell, board.kinds, kindOf(cell, board))
      .map((point) => point.map((value) => value * UNIT)).join(' ')}"/>`).join('');
    const tops = new Map(cells.map(([row, col, level]) => [`${row},${col}`, level]));
    for (const [row, col, level] of cells) tops.set(`${row},${col}`, Math.max(level, tops.get(`${row},${col}`)));
    const digits = board.levels === 1 ? '' : flat.map(([row, col]) =>
      `<text class="height" x="${(col + 0.5) * UNIT}" y="${(row + 0.5) * UNIT}">${tops.get(`${row},${col}`) + 1}</text>`).join('');
    this.#held.innerHTML = pieceMarkup(flat, UNIT, colour, board) + light + digits;
  }

  /** Where a point of the window is on the board, in cell units; null outside. */
  point(x, y) {
    const box = this.#pieces?.getBoundingClientRect(), [width, height] = extent(this.#rules.board);
    const at = [(x - box.left) / box.width * width, (y - box.top) / box.height * height];
    return at[0] < -1 || at[1] < -1 || at[0] > width + 1 || at[1] > height + 1 ? null : at;
  }

  focus() { this.#node.focus(); }

  /** Show this frame: 1, rows, cols, then RGB of every grid cell. Nothing: all dark. */
  light(frame) { this.#frame = frame; this.draw(); }

  draw() {
    if (!this.#lights || !this.#frame) return;
    const [, rows, cols] = this.#frame, [row0, col0] = this.#rules.board.at;
    if (rows < row0 + this.#rules.board.rows || cols < col0 + this.#rules.board.cols) return;
    this.#lights.draw(this.#frame.subarray(3), cols, [row0, col0]);
  }

  #layer(markup, name) {
    const [width, height] = extent(this.#rules.board), node = svg(width * UNIT, height * UNIT, markup);
    node.setAttribute('viewBox', `0 0 ${width * UNIT} ${height * UNIT}`);
    node.setAttribute('class', name);
    return node;
  }
}

function bare([row, col, kind], board) {
  if (board.kinds === 1) {
    const x = (col + 0.04) * UNIT, y = (row + 0.04) * UNIT, dot = 0.43 * UNIT;
    return `<rect x="${x}" y="${y}" width="${0.92 * UNIT}" height="${0.92 * UNIT}" rx="${0.14 * UNIT}"/>`
      + `<rect class="dot" x="${col * UNIT + dot}" y="${row * UNIT + dot}" width="${0.14 * UNIT}" height="${0.14 * UNIT}" rx="${0.04 * UNIT}"/>`;
  }
  const points = corners([row, col], board.kinds, kind);
  const middle = [0, 1].map((i) => points.reduce((sum, point) => sum + point[i], 0) / points.length);
  return `<polygon points="${points.map((point) => point.map((v, i) => (middle[i] + (v - middle[i]) * 0.88) * UNIT)).join(' ')}"/>`;
}
