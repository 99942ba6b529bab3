// What stands beside a board: players, hands of cards, and facts that no board shows.
import { escape } from "./escape.js";

// Who plays a role: the name of the node without its place, and without the role it is called after.
function nameAgent(player) {
  const name = player.agent.replace(/^\S*\//, "");
  return name.startsWith(`${player.name}_`) ? name.slice(player.name.length + 1) : name;
}

export function playersHtml(players, words) {
  return players.map((p) => `
    <div class="gt-player ${p.toMove ? "to-move" : ""} ${p.isYou ? "is-you" : ""}" role="listitem" data-role="${escape(p.role)}">
      <i style="background:${escape(p.colour)}"></i>
      <b>${escape(p.role)}</b><span class="gt-agent" title="${escape(p.agent)}">${escape(p.isYou ? words.you : nameAgent(p))}</span>
      ${p.goal === null ? "" : `<span class="gt-goal" title="${escape(words.goal)}">${p.goal}</span>`}
      ${p.tally ? `<span class="gt-tally" title="${escape(words.tally)}">${escape(p.tally)}</span>` : ""}
      ${p.strikes ? `<span class="gt-strikes" title="${escape(words.strikes)}">⚠ ${p.strikes}</span>` : ""}
      <span class="gt-clock" role="timer"></span>
    </div>`).join("");
}

// Groups of cards; `legal` are the keys of those that can be played.
export function groupsHtml(groups, legal, words) {
  return groups.map((group) => `
    <section class="gt-group"><h2>${escape(group.title)}</h2><div class="gt-hand">${group.cards.map((card) =>
      card.is_up
        ? `<button type="button" class="gt-card ${card.is_red ? "is-red" : ""} ${card.keys.some((k) => legal.has(k)) ? "is-legal" : ""}"
             data-keys="${escape(card.keys.join("|"))}" aria-label="${escape(card.label)}" ${card.keys.some((k) => legal.has(k)) ? "" : "tabindex=-1"}>
             <span class="gt-corner">${escape(card.rank)}<br>${escape(card.suit)}</span><span class="gt-pip">${escape(card.suit || card.rank)}</span></button>`
        : `<div class="gt-card is-down" role="img" aria-label="${escape(words.face_down)}"></div>`).join("")}</div></section>`).join("");
}

export function factsHtml(scene) {
  const notes = scene.notes.map((n) => `<span class="gt-note">${escape(n)}</span>`).join("");
  const tables = scene.tables.map((t) => `
    <section class="gt-table"><h2>${escape(t.title)}</h2><table>${t.rows.map((row) =>
      `<tr>${row.map((cell) => `<td>${escape(cell)}</td>`).join("")}</tr>`).join("")}</table></section>`).join("");
  const hidden = scene.hidden.map((h) => `<p class="gt-hidden">▨ ${escape(h)}</p>`).join("");
  return `<div class="gt-notes">${notes}</div><div class="gt-tables">${tables}</div>${hidden}`;
}
