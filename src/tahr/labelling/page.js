"use strict";
// Everything that a model wrote is set with textContent: no text is ever read as markup.
const $ = (id) => document.getElementById(id);
const KEYS = {
  1: "left", ArrowLeft: "left", 2: "right", ArrowRight: "right", 0: "tie", " ": "tie", n: "not_applicable",
  u: "undo", b: "back", Backspace: "back", f: "forward", g: "next",
};
const ANSWERS = ["left", "right", "tie", "not_applicable"];
const ROLES = { user: "Prompt", assistant: "Earlier answer", system: "System" };
let state = null;
let busy = false;
let seconds = 0; // that this comparison has been in view
let since = performance.now();

function seen() {
  const now = performance.now();
  if (!document.hidden) seconds += (now - since) / 1000;
  since = now;
  return seconds;
}

function timeText(left) {
  if (left === null) return "";
  const minutes = Math.round(left / 60);
  if (minutes < 1) return "less than a minute left";
  return minutes < 60 ? `about ${minutes} min left` : `about ${Math.floor(minutes / 60)} h ${minutes % 60} min left`;
}

function showPrompt(messages) {
  const turns = messages.map((message) => {
    const turn = document.createElement("div");
    const role = document.createElement("b");
    const text = document.createElement("div");
    turn.className = `turn ${message.role in ROLES ? message.role : ""}`;
    role.textContent = ROLES[message.role] || message.role;
    text.textContent = message.content;
    text.dir = "auto";
    turn.append(role, text);
    return turn;
  });
  $("prompt").replaceChildren(...turns);
  $("prompt").scrollTop = $("prompt").scrollHeight; // the question that is answered stands last
}

function showAnswer(side, text, picked) {
  const card = $(side);
  const body = card.querySelector(".text");
  body.textContent = text;
  body.scrollTop = 0;
  card.querySelector("em").textContent = picked ? "your label" : "";
  card.classList.toggle("picked", picked);
}

function show(next) {
  state = next;
  const { item } = state;
  seconds = 0;
  since = performance.now();
  $("bar").style.width = state.total ? `${(100 * state.done) / state.total}%` : "0";
  $("who").textContent = state.who;
  $("progress").textContent = `${state.done.toLocaleString("en")} of ${state.total.toLocaleString("en")} labelled`;
  $("left-time").textContent = state.done < state.total ? timeText(state.seconds_left) : "";
  $("work").hidden = !item;
  $("end").hidden = !!item;
  if (item) {
    showPrompt(item.prompt);
    showAnswer("left", item.left, item.label === "left");
    showAnswer("right", item.right, item.label === "right");
  } else {
    const { left, right, tie, not_applicable } = state.tally;
    $("tally").textContent = `left ${left} · right ${right} · neither ${tie} · can’t be judged ${not_applicable}`;
    $("file").textContent = state.file;
  }
  $("choices").hidden = !item;
  for (const button of document.querySelectorAll("[data-answer]")) {
    button.classList.toggle("picked", !!item && item.label === button.dataset.answer);
  }
  const off = { undo: !state.can_undo, back: state.place === 0, forward: !item, next: state.done === state.total };
  for (const button of document.querySelectorAll("[data-move]")) button.disabled = off[button.dataset.move];
  document.body.dataset.place = state.place;
}

function complain(text) {
  $("notice").textContent = text;
  $("notice").hidden = !text;
}

async function ask(path, body) {
  if (busy) return;
  busy = true;
  try {
    const how = body
      ? { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }
      : {};
    const reply = await fetch(path, how);
    const found = await reply.json();
    if (!reply.ok) throw new Error(found.error);
    complain("");
    show(found);
  } catch (error) {
    const gone = error instanceof TypeError;
    complain(
      gone
        ? "Not saved: the program that serves this page has ended. Start it again with the same files and open its new address; every label before this one is kept."
        : `Not saved: ${error.message}`,
    );
  } finally {
    busy = false;
  }
}

function act(what) {
  if (!state) return;
  if (ANSWERS.includes(what)) {
    if (state.item) ask("label", { id: state.item.id, answer: what, seconds: seen() });
  } else if (what === "undo") ask("undo", {});
  else if (what === "back") ask(`state/${Math.max(0, state.place - 1)}`);
  else if (what === "forward") ask(`state/${Math.min(state.total, state.place + 1)}`);
  else if (what === "next") ask("state");
}

function scrollBoth(direction) {
  for (const text of document.querySelectorAll("article .text")) text.scrollBy({ top: direction * 120 });
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "ArrowUp" || event.key === "ArrowDown") {
    event.preventDefault();
    scrollBoth(event.key === "ArrowUp" ? -1 : 1);
    return;
  }
  const what = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!what) return;
  event.preventDefault();
  if (!event.repeat) act(what); // a key held down labels once
});
// the space bar would press a button that has the focus, when it is let go
document.addEventListener("keyup", (event) => event.key === " " && event.preventDefault());
document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  button.blur();
  act(button.dataset.answer || button.dataset.move);
});
document.addEventListener("visibilitychange", () => {
  if (document.hidden) seconds += (performance.now() - since) / 1000;
  since = performance.now();
});
ask("state");
