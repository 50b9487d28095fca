// The page: what the table tells, drawn; what people want, asked of the table.

import {BoardPicture} from './board.js';
import {askForCode, askForGame, listGames, pair} from './dialogs.js';
import {showFaults} from './faults.js';
import {Hand} from './hands.js';
import {Link} from './link.js';
import {showHand, showScores, showTurn} from './side.js';
import {loadWords, t} from './words.js';

const $ = (id) => document.getElementById(id);
const link = new Link(), picture = new BoardPicture($('board'));
const now = {hello: null, rules: null, game: null, status: null, virtual: null, up: false};
let past = null;  // {rules, game, at}: a game that is only looked at
let laid = '';

const reach = (what) => link.ask({do: 'hand', what});
const hand = new Hand($('board'), picture, {
  ask: reach, say: (text) => { $('say').textContent = text; }, now: () => now, changed: () => draw(),
});
/** Whether this browser may play with the pieces of a virtual table now. */
const plays = () => Boolean(!past && now.hello?.virtual && now.hello.paired && now.virtual && !now.virtual.playing);

const parity = (board) => {  // of the board's first cell: which triangles point down
  const [row, col, kind] = board.cells[0];
  return {...board, parity: ((kind - row - col) % 2 + 2) % 2};
};

function draw() {
  const {rules, game} = past ?? now, {status} = now;
  if (!rules || !game || !status) return;
  const key = JSON.stringify([rules.rules, rules.board.at, rules.board.rows, rules.board.cols]);
  if (key !== laid) { laid = key; picture.lay(rules); }
  const lying = !past && now.virtual ? onBoard(now.virtual.pieces, rules.board) : null;
  const turns = lying ?? [...game.setup, ...(past ? game.history.slice(0, past.at) : game.history)];
  picture.show(turns, past ? [] : status.problems.flatMap(({reason, cells}) => reason === 'displaced' || reason === 'parked' ? [] : cells));
  $('past').hidden = !past;
  for (const id of ['title', 'next', 'scores', 'hand']) $(id).hidden = Boolean(past) && id !== 'title';
  if (past) {
    $('title').textContent = t('look');
    drawPast();
  } else {
    const facts = {status, rules, game};
    showTurn($('title'), $('next'), facts);
    showScores($('scores'), facts);
    showHand($('hand'), facts, plays() ? hand : null);
  }
  $('board').setAttribute('aria-label', $('title').textContent);
  $('board').tabIndex = plays() ? 0 : -1;
  $('board').classList.toggle('playable', plays());
  hand.show();
  showFaults($('faults'), plays() || now.virtual?.playing ? now.virtual : null, hand, (what) => attempt(() => reach(what)));
  drawHealth();
  drawKeys();
}

/** What lies on a virtual table, in cells of the board. */
function onBoard(pieces, {at: [row0, col0]}) {
  return pieces.map(({colour, cells}) => ({colour, cells: cells.map(([row, col, ...level]) => [row - row0, col - col0, ...level])}));
}

function drawPast() {
  const turns = past.game.history.length;
  $('past').innerHTML = `<label>${t('look.at', {turn: past.at, turns})}<input type="range" min="0" max="${turns}" value="${past.at}"></label>`;
  $('past').querySelector('input').oninput = ({target}) => {
    past.at = Number(target.value);
    const turnsNow = [...past.game.setup, ...past.game.history.slice(0, past.at)];
    picture.show(turnsNow);
    $('past').querySelector('label').firstChild.textContent = t('look.at', {turn: past.at, turns});
  };
}

function drawHealth() {
  const {status} = now, bad = !now.up ? 'down' : status.sensors !== 'ok' ? `sensors.${status.sensors}` : status.saved ? '' : 'unsaved';
  $('health').textContent = t(bad || 'up');
  $('health').classList.toggle('bad', bad !== '');
}

const press = (button) => () => link.ask({do: 'press', button});

/** The keys there are now: [name, shortcut, what it does]. */
function keys() {
  if (past) return [['back', 'Escape', () => { past = null; laid = ''; draw(); }]];
  if (!now.hello?.paired) return [['pair', 'P', () => askForCode($('dialog'), () => link.renew())], ['games', 'G', showGames]];
  const playing = now.status.state === 'playing';
  if (hand.holds) return [['turn', 'R', () => hand.turn()], ['flip', 'F', () => hand.flip()], ['lay', 'Enter', () => hand.lay()], ['put_back', 'Escape', () => hand.putBack()]];
  const auto = now.hello.virtual && now.virtual;
  return [
    ...(plays() && now.virtual.pieces.length ? [['lift', 'L', () => hand.lift()]] : []),
    ...(plays() && now.virtual.pieces.length && !playing ? [['clear', 'C', () => reach({do: 'clear'})]] : []),
    ...(auto && (playing || now.virtual.playing) ? [[now.virtual.playing ? 'stop' : 'auto', 'A', () => reach({do: 'play', on: !now.virtual.playing})]] : []),
    ...(now.game.history.length ? [['take_back', 'Z', press('take_back')]] : []),
    ...(playing ? [['hint', 'H', press('hint')]] : []),
    ...(playing && now.rules.may_pass ? [['pass', 'S', press('pass')]] : []),
    ...(playing && now.game.history.length ? [['end', 'E', () => link.ask({do: 'end_game'})]] : []),
    ['new', 'N', () => askForGame($('dialog'), now.hello.sets, now.rules.rules, (wanted) => link.ask({do: 'new_game', ...wanted}))],
    ['games', 'G', showGames],
  ];
}

function drawKeys() {
  const wanted = keys(), shown = wanted.map(([name]) => name).join();
  if ($('keys').dataset.shown === shown) return;  // a key that has the focus keeps it
  $('keys').dataset.shown = shown;
  $('keys').replaceChildren(...wanted.map(([name, shortcut, act]) => {
    const button = document.createElement('button');
    button.className = 'key';
    button.dataset.key = name;
    button.textContent = t(`key.${name}`);
    if (shortcut.length === 1) button.append(Object.assign(document.createElement('kbd'), {textContent: shortcut}));
    button.onclick = () => attempt(act);
    return button;
  }));
}

async function attempt(act) {
  try { await act(); } catch (error) { $('next').textContent = error.message; }
}

async function showGames() {
  const look = (found) => {
    past = {rules: {...found.rules, board: parity(found.rules.board)}, game: found.game, at: found.game.history.length};
    laid = '';
    draw();
  };
  listGames($('dialog'), await link.ask({do: 'games'}), {
    show: async (game) => look(await link.ask({do: 'show_game', game})),
    read: async (text) => look(await link.ask({do: 'read_game', text})),
  });
}

for (const kind of ['hello', 'rules', 'game', 'status', 'virtual']) {
  link.addEventListener(kind, ({detail}) => {
    now[kind] = kind === 'rules' ? {...detail, board: parity(detail.board)} : detail;
    draw();
  });
}
link.addEventListener('frame', ({detail}) => { if (!past) picture.light(detail); });
link.addEventListener('up', () => { now.up = true; draw(); });
link.addEventListener('down', () => { now.up = false; draw(); });
addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || $('dialog').open || /INPUT|SELECT/.test(event.target.tagName)) return;
  if (event.key === 'Enter' && event.target.closest('button, summary, a, .board')) return;  // it has its own meaning there
  const found = keys().find(([, shortcut]) => shortcut.toLowerCase() === event.key.toLowerCase());
  if (found) { event.preventDefault(); attempt(found[2]); }
});

await loadWords();
const code = new URLSearchParams(location.hash.slice(1)).get('code');
if (code) {  // whoever started the table opened this page: the code is behind the #, which is never sent
  history.replaceState(null, '', location.pathname);
  await pair(code).catch(() => {});
}
link.open();
