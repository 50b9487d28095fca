// How a piece can lie: the ways the table tells, found by turning the middles of its cells.

import {corners} from './shapes.js';

const middleOf = (points) => [0, 1].map((i) => points.reduce((sum, point) => sum + point[i], 0) / points.length);

/** The middle of a board's cell [row, col], in cell units. */
export const middle = (cell, kinds, kind) => middleOf(corners(cell, kinds, kind));

function points(way, kinds) {
  const found = way.cells.map(([row, col, level = 0]) =>
    [...middle([row, col], kinds, kinds === 1 ? 0 : (((way.kind + row + col) % 2) + 2) % 2), level]);
  const mean = [0, 1, 2].map((i) => found.reduce((sum, point) => sum + point[i], 0) / found.length);
  return found.map((point) => point.map((value, i) => value - mean[i]));
}

const near = (a, b) => a.length === b.length
  && a.every((one) => b.some((other) => one.every((value, i) => Math.abs(value - other[i]) < 1e-3)));

function turned(ways, index, kinds, turn) {
  const wanted = points(ways[index], kinds).map(turn);
  const found = ways.findIndex((way) => near(wanted, points(way, kinds)));
  return found < 0 ? (index + 1) % ways.length : found;
}

/** The number of the way in which it lies after a turn to the right (`sign` 1) or left (-1). */
export function rotate(ways, index, kinds, sign = 1) {
  const angle = sign * (kinds === 1 ? Math.PI / 2 : Math.PI / 3), c = Math.cos(angle), s = Math.sin(angle);
  return turned(ways, index, kinds, ([x, y, z]) => [c * x - s * y, s * x + c * y, z]);
}

/** The way in which it lies when it is turned over or, where pieces are blocks, tipped. */
export function flip(ways, index, kinds, solid) {
  return turned(ways, index, kinds, solid ? ([x, y, z]) => [x, -z, y] : ([x, y, z]) => [-x, y, z]);
}

/** Where the middle of a piece is, seen from the middle of its first cell. */
export function reach(way, kinds) {
  const [x, y] = points(way, kinds)[0];
  return [-x, -y];
}
