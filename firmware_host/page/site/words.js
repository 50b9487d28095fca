// Every word on the page comes from a catalogue in lang/; the browser's languages choose it.

const LANGUAGES = ['en'];
let words = {};

export async function loadWords(wanted = navigator.languages) {
  const chosen = wanted.map((tag) => tag.slice(0, 2).toLowerCase()).find((tag) => LANGUAGES.includes(tag)) ?? 'en';
  words = await (await fetch(`/lang/${chosen}.json`)).json();
  document.documentElement.lang = chosen;
  document.title = t('name');
  for (const node of document.querySelectorAll('[data-t]')) node.textContent = t(node.dataset.t);
}

/** The sentence of this name; {things} in it are filled in. A word that is missing shows its name. */
export function t(name, things = {}) {
  return (words[name] ?? name).replace(/\{(\w+)\}/g, (_, thing) => things[thing] ?? '');
}

export const has = (name) => name in words;
export const colourName = (colour) => t(`colour.${colour}`);
export const minus = (number) => (number < 0 ? '−' : '') + Math.abs(number);
