// Pieces as SVG: one closed outline round their cells, rounded, with a seam between two cells and a faint pip.
// Cells are [row, col] of squares or, on boards of triangles, [row, x] as engine/triangular.py counts them.

export const SVG = 'http://www.w3.org/2000/svg';
const OUTER = 0.24, INNER = 0.12, INSET = 0.035;  // of a cell
const HALF = Math.sqrt(3) / 2;  // a triangle's height, of its side

/** The corners of a cell, clockwise, in cell units. `kind` 1 is a downward triangle. */
export function corners([row, col], kinds, kind) {
  if (kinds === 1) return [[col, row], [col + 1, row], [col + 1, row + 1], [col, row + 1]];
  const x = col / 2, top = row * HALF, low = top + HALF;
  return kind ? [[x, top], [x + 1, top], [x + 0.5, low]] : [[x + 0.5, top], [x + 1, low], [x, low]];
}

/** Width and height of a board, in cell units. */
export function extent(board) {
  return board.kinds === 1 ? [board.cols, board.rows] : [(board.cols + 1) / 2, board.rows * HALF];
}

const name = ([x, y]) => `${x.toFixed(3)},${y.toFixed(3)}`;

/** The sides that only one of the cells has, as loops of points. */
function loops(polygons) {
  const sides = new Map();
  for (const points of polygons) {
    points.forEach((from, i) => {
      const to = points[(i + 1) % points.length], back = name(to) + '>' + name(from);
      if (sides.has(back)) sides.delete(back);
      else sides.set(name(from) + '>' + name(to), [from, to]);
    });
  }
  const next = new Map();
  for (const [from, to] of sides.values()) next.set(name(from), [...(next.get(name(from)) ?? []), to]);
  const found = [];
  while (next.size) {
    const start = next.keys().next().value, loop = [];
    let at = start;
    do {
      const outs = next.get(at), to = outs.pop();
      if (!outs.length) next.delete(at);
      loop.push(to);
      at = name(to);
    } while (at !== start && next.has(at));
    found.push(loop);
  }
  return found;
}

function rounded(loop, size) {
  const points = loop.filter((b, i) => {
    const a = loop.at(i - 1), c = loop[(i + 1) % loop.length];
    return Math.abs((b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])) > 1e-6;
  });
  return points.map((b, i) => {
    const a = points.at(i - 1), c = points[(i + 1) % points.length];
    const [d1, d2] = [[b[0] - a[0], b[1] - a[1]], [c[0] - b[0], c[1] - b[1]]].map(([x, y]) => {
      const length = Math.hypot(x, y);
      return [x / length, y / length];
    });
    const cross = d1[0] * d2[1] - d1[1] * d2[0], r = size * (cross > 0 ? OUTER : INNER);
    const push = size * INSET / (1 + d1[0] * d2[0] + d1[1] * d2[1] || 1);
    const x = b[0] * size + push * (-d1[1] - d2[1]), y = b[1] * size + push * (d1[0] + d2[0]);
    const at = (d, sign) => `${(x + sign * d[0] * r).toFixed(2)} ${(y + sign * d[1] * r).toFixed(2)}`;
    return `${i ? 'L' : 'M'}${at(d1, -1)}Q${x.toFixed(2)} ${y.toFixed(2)} ${at(d2, 1)}`;
  }).join('') + 'Z';
}

/** The path round some cells. `board` gives kinds and, for triangles, the kind of a cell. */
export function outline(cells, size, board) {
  return loops(cells.map((cell) => corners(cell, board.kinds, kindOf(cell, board))))
    .map((loop) => rounded(loop, size)).join('');
}

export function kindOf([row, col], board) {
  return board.kinds === 1 ? 0 : (row + col + board.parity) % 2;
}

let count = 0;

/** A piece as markup for an <svg>. */
export function pieceMarkup(cells, size, colour, board, extra = '') {
  const id = `piece${count++}`, path = outline(cells, size, board), has = new Set(cells.map(String));
  const seam = Math.max(0.6, size * 0.03);
  let inside = '';
  for (const [row, col] of board.kinds === 1 ? cells : []) {
    const x = col * size, y = row * size;
    inside += `<rect class="pip" x="${x + size * 0.17}" y="${y + size * 0.17}" width="${size * 0.66}" height="${size * 0.66}" rx="${size * 0.13}"/>`;
    if (has.has(`${row},${col + 1}`)) inside += `<path class="seam" stroke-width="${seam}" d="M${x + size} ${y + size * 0.12}v${size * 0.76}"/>`;
    if (has.has(`${row + 1},${col}`)) inside += `<path class="seam" stroke-width="${seam}" d="M${x + size * 0.12} ${y + size}h${size * 0.76}"/>`;
  }
  for (const cell of board.kinds === 1 ? [] : cells) {
    const points = corners(cell, board.kinds, kindOf(cell, board)).map(([x, y]) => `${x * size} ${y * size}`);
    inside += `<path class="seam" fill="none" stroke-width="${seam}" d="M${points.join('L')}Z"/>`;
  }
  const edge = Math.max(0.8, size * 0.045);
  return `<g class="piece ${colour} ${extra}"><clipPath id="${id}"><path d="${path}"/></clipPath>`
    + `<path class="body" d="${path}"/><g clip-path="url(#${id})">${inside}`
    + `<path class="low" d="${path}" stroke-width="${edge * 2}" transform="translate(0 ${-edge * 0.55})"/>`
    + `<path class="high" d="${path}" stroke-width="${edge * 1.5}" transform="translate(0 ${edge * 0.5})"/></g></g>`;
}

export function svg(width, height, markup, label = '') {
  const node = document.createElementNS(SVG, 'svg');
  node.setAttribute('width', width);
  node.setAttribute('height', height);
  if (label) { node.setAttribute('role', 'img'); node.setAttribute('aria-label', label); }
  else node.setAttribute('aria-hidden', 'true');
  node.innerHTML = markup;
  return node;
}
