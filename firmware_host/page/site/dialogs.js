// What is asked in a window of its own: the code, a new game, the past games.

import {t} from './words.js';

const escape = (text) => String(text).replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

function open(dialog, markup, onSubmit) {
  dialog.innerHTML = `<form method="dialog">${markup}<p class="why" role="alert"></p></form>`;
  const form = dialog.querySelector('form');
  form.onsubmit = async (event) => {
    event.preventDefault();
    try {
      await onSubmit?.(form);
      dialog.close();
    } catch (error) {
      form.querySelector('.why').textContent = error.message;
    }
  };
  dialog.querySelector('[data-close]')?.addEventListener('click', () => dialog.close());
  if (!dialog.open) dialog.showModal();
  return form;
}

/** Give the table a code; it answers with a cookie that no script can read. */
export async function pair(code) {
  const answer = await fetch('/pair', {headers: {'X-Code': code}});
  if (!answer.ok) throw new Error(await answer.text());
}

export async function askForCode(dialog, paired) {
  const form = open(dialog, `<h2>${t('pair.title')}</h2><label>${t('pair.say')}
    <input class="code" name="code" inputmode="numeric" autocomplete="one-time-code" pattern="[0-9]{4}" maxlength="4" required></label>
    <button class="key">${t('key.pair')}</button>`, async ({elements}) => { await pair(elements.code.value); paired(); });
  const answer = await fetch('/code', {headers: {'X-Code': 'show'}});
  if (!answer.ok) form.querySelector('.why').textContent = await answer.text();
}

export function askForGame(dialog, sets, current, begin) {
  const form = open(dialog, `<h2>${t('new.title')}</h2>
    <label>${t('new.rules')}<select name="rules">${Object.entries(sets).map(([name, set]) =>
      `<option value="${name}"${name === current ? ' selected' : ''}>${escape(name)}: ${escape(set.summary)}</option>`).join('')}</select></label>
    <div class="options"></div><label>${t('new.names')}</label><div class="names"></div>
    <button class="key">${t('key.start')}</button>`, async ({elements}) => {
    const options = Object.fromEntries([...form.querySelectorAll('.options select')].map(({name, value}) => [name, value]));
    const names = [...form.querySelectorAll('.names input')].map(({value}) => value.trim());
    await begin({rules: elements.rules.value, options, names});
  });
  const choose = () => {
    const set = sets[form.elements.rules.value];
    form.querySelector('.options').innerHTML = Object.entries(set.options).map(([name, option]) =>
      `<label title="${escape(option.summary ?? '')}">${escape(name)}<select name="${name}">${option.values.map(([value, means]) =>
        `<option value="${escape(value)}"${value === option.default ? ' selected' : ''}>${escape(value)}: ${escape(means)}</option>`).join('')}</select></label>`).join('');
    form.querySelector('.names').innerHTML = Array.from({length: set.players}, (_, i) =>
      `<input maxlength="24" aria-label="${t('new.player', {number: i + 1})}" placeholder="${t('new.player', {number: i + 1})}">`).join('');
  };
  form.elements.rules.onchange = choose;
  choose();
}

export function listGames(dialog, games, {show, read}) {
  const line = (game) => `<li><button type="button" class="key" data-game="${escape(game.game_id)}">${escape(game.began_at.slice(0, 10))} ·
    ${escape(t('games.line', {rules: game.rules, plies: game.plies}))}${game.state === 'over' ? '' : ` · ${t(`games.${game.state}`)}`}</button>
    <a href="/games/${encodeURIComponent(game.game_id)}.blksgf" download>${t('key.save')}</a></li>`;
  const form = open(dialog, `<h2>${t('games.title')}</h2>${games.length ? `<ul>${games.map(line).join('')}</ul>` : `<p>${t('games.none')}</p>`}
    <label>${t('key.open')}<input type="file" accept=".blksgf,.sgf"></label><button type="button" class="key" data-close>${t('key.close')}</button>`);
  const why = form.querySelector('.why'), attempt = async (what) => {
    try { await what(); dialog.close(); } catch (error) { why.textContent = error.message; }
  };
  for (const button of form.querySelectorAll('[data-game]')) button.onclick = () => attempt(() => show(button.dataset.game));
  form.querySelector('input[type=file]').onchange = ({target}) => attempt(async () => read(await target.files[0].text()));
}
