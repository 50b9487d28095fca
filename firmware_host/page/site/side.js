// What is said beside the board: whose turn it is, the one thing to do next, scores, the pieces in hand.

import {extent, kindOf, pieceMarkup, svg} from './shapes.js';
import {colourName, has, minus, t} from './words.js';

const HAND = 19;  // pixels of a cell there

const make = (tag, className = '', text = '') => {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== '') node.textContent = text;
  return node;
};

/** Title and next thing. */
export function showTurn(title, next, {status, rules}) {
  const problem = status.problems[0], colour = problem ? status.to_move : headColour(status);
  title.replaceChildren();
  if (colour && rules.colours.includes(colour)) title.append(glyph(colour));
  title.append(make('span', '', headline(status, problem, rules)));
  next.textContent = status.next ?? '';
  document.title = `${headline(status, problem, rules)} · ${t('name')}`;
}

function headline(status, problem, rules) {
  if (problem) return t(has(`problem.${problem.reason}`) ? `problem.${problem.reason}` : 'problem');
  if (status.state === 'over') return result(status);
  if (status.state === 'suspended') return t('suspended');
  if (!status.to_move) return t('idle');
  const player = rules.players[status.player_to_move] ?? [];
  const named = status.standings.find((line) => line.player === status.player_to_move)?.name;
  if (player.length !== 1 && named) return t('turn.player', {name: named, colour: colourName(status.to_move)});
  return t('turn', {colour: colourName(status.to_move)});
}

function headColour(status) {
  return status.state === 'over' ? status.standings[0]?.colours[0] : status.to_move;
}

function result(status) {
  const best = status.standings.filter((line) => line.place === 1);
  if (status.standings.length === 1) return t('solo', {squares: -best[0].total});
  return best.length > 1 ? t('tie') : t('wins', {who: called(best[0])});
}

const called = (line) => line.name ?? line.colours.map(colourName).join(' & ');

function glyph(colour) {
  const square = {kinds: 1};
  return svg(30, 30, pieceMarkup([[0, 0], [1, 0], [1, 1]], 15, colour, square));
}

/** A row for each player, best first when the game is over, in turn order before. */
export function showScores(node, {status, rules, game}) {
  const over = status.state === 'over', size = sizes(rules);
  const all = Object.values(size).reduce((sum, squares) => sum + squares, 0) * (rules.copies ?? 1);
  const lines = [...status.standings].sort((a, b) => over ? a.place - b.place : a.player - b.player);
  const heads = ['', '', '', t(over ? 'scores.score' : 'scores.left'), t('scores.pieces')];
  node.replaceChildren(...heads.map((text) => make('span', 'h', text)));
  for (const line of lines) {
    const left = line.colours.flatMap((colour) => game.hand[colour]), squares = left.reduce((sum, piece) => sum + size[piece], 0);
    const row = make('div', 'row'), swatch = make('span', 'sw'), bar = make('span', `bar ${line.colours[0]}`), fill = make('i');
    row.classList.toggle('now', !over && line.player === status.player_to_move);
    row.classList.toggle('win', over && line.place === 1);
    swatch.append(...line.colours.map((colour) => make('i', colour)));
    const name = make('span', 'name', line.colours.map(colourName).join(' & '));
    if (line.name) name.append(make('span', 'who', line.name));
    fill.style.width = `${100 * (1 - squares / (all * line.colours.length || 1))}%`;
    bar.append(fill);
    row.append(swatch, name, bar, make('span', 'num main', minus(over ? line.total : squares)), make('span', 'num', left.length));
    node.append(row);
  }
}

const sizes = (rules) => Object.fromEntries(Object.entries(rules.pieces).map(([name, ways]) => [name, ways[0].cells.length]));

/** The pieces of the colour to move, those that fit nowhere faint. */
export function showHand(node, {status, rules, game}, hand = null) {
  const colour = status.to_move, out = hand && colour ? hand.lyingOf(colour) : {};
  const key = JSON.stringify([colour, game.hand[colour], game.fits, rules.rules, out, Boolean(hand), document.documentElement.lang]);
  if (node.dataset.key === key) return;  // a piece that has the focus keeps it
  const focused = node.contains(document.activeElement) ? document.activeElement.dataset.piece : null;
  node.dataset.key = key;
  node.replaceChildren();
  if (!colour || !game.hand[colour]) return;
  const left = game.hand[colour], fits = new Set(game.fits), heading = make('h2');
  heading.append(make('span', '', t('hand', {colour: colourName(colour)})),
    make('span', '', t('hand.fit', {fits: fits.size, left: left.length})));
  const list = make('ul', 'pieces-in-hand'), unused = [...left];
  for (const [name, count] of Object.entries(out)) for (let i = 0; i < count && unused.includes(name); i++) unused.splice(unused.indexOf(name), 1);
  for (const [name, ways] of Object.entries(rules.pieces).sort(([, a], [, b]) => b[0].cells.length - a[0].cells.length)) {
    const item = make('li'), here = unused.includes(name);
    const label = t('piece', {colour: colourName(colour), piece: name}) + (fits.has(name) ? '' : `, ${t('piece.no')}`);
    const picture = pieceNode(ways[0], colour, rules.board, HAND, label);
    if (hand) {
      const button = make('button', 'take');
      Object.assign(button.dataset, {piece: name, colour});
      button.append(picture);
      item.append(button);
    } else item.append(picture);
    item.classList.add(here ? (fits.has(name) ? 'fits' : 'no') : 'used');
    item.hidden = !here;
    list.append(item);
  }
  node.append(heading, list);
  hand?.offer(list);
  if (focused) (list.querySelector(`li:not([hidden]) [data-piece="${focused}"]`) ?? list.querySelector('li:not([hidden]) button'))?.focus();
}

/** One piece by itself, moved to the top left. */
export function pieceNode(way, colour, board, size, label) {
  const cells = way.cells.map((cell) => cell.slice(0, 2)), parity = way.kind;
  const top = Math.min(...cells.map(([row]) => row)), west = Math.min(...cells.map(([, col]) => col));
  const moved = cells.map(([row, col]) => [row - top, col - west]);
  const own = {kinds: board.kinds, parity: board.kinds === 1 ? 0 : (((parity + top + west) % 2) + 2) % 2};
  const last = moved.map((cell) => [cell, kindOf(cell, own)]);
  const rows = Math.max(...last.map(([[row]]) => row)) + 1, cols = Math.max(...last.map(([[, col]]) => col)) + 1;
  const [width, height] = extent({kinds: own.kinds, rows, cols});
  return svg(width * size, height * size, pieceMarkup(moved, size, colour, own), label);
}
