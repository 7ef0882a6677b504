// Keeps the page up to date: when the store changed, the server says so, and <main> is fetched and replaced. Without this
// script the pages show and do the same, but only as of when they were loaded.
"use strict";

// The message of an action is shown once, not again by each update.
const address = new URL(location.href);
if (address.searchParams.has("done")) {
  for (const name of ["done", "proof"]) address.searchParams.delete(name);
  history.replaceState(null, "", address);
}

const main = () => document.getElementById("main");
let filled = false;
let wanted = false;
let busy = false;
document.addEventListener("input", () => { filled = true; });

// Nothing is replaced under the hands of a person: while a form is filled in, a text is selected, or the page is hidden.
const isInUse = () => filled || document.hidden || !getSelection().isCollapsed
  || ["INPUT", "SELECT", "TEXTAREA"].includes(document.activeElement.tagName);

// Where an element is in <main>: an equal one gets the focus afterwards.
const placeOf = (element) => [...main().querySelectorAll("a, button, [tabindex]")].indexOf(element);

function replaceMain(fresh) {
  const notice = main().querySelector(".notice");
  const focused = placeOf(document.activeElement);
  const scrolled = [...main().querySelectorAll("pre, .scroll")].map((box) => [box.scrollTop, box.scrollLeft]);
  main().replaceWith(fresh);
  if (notice) fresh.prepend(notice);
  fresh.querySelectorAll("pre, .scroll").forEach((box, index) => box.scrollTo(...(scrolled[index] ?? [0, 0]).reverse()));
  const again = fresh.querySelectorAll("a, button, [tabindex]")[focused];
  if (again) again.focus({ preventScroll: true });
}

async function update() {
  if (busy || !wanted || isInUse()) return;
  [busy, wanted] = [true, false];
  try {
    const answer = await fetch(address);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById("main");
    if (answer.ok && fresh && !isInUse()) {
      replaceMain(document.adoptNode(fresh));
      document.querySelector("footer").replaceWith(document.adoptNode(page.querySelector("footer")));
    }
  } catch { wanted = true; }
  busy = false;
}

function listen() {
  const events = new EventSource("/events");
  events.addEventListener("changed", () => { wanted = true; update(); });
  // What changed meanwhile is not told. A browser comes back after a lost connection, but not after an answer such as 503.
  events.addEventListener("error", () => {
    wanted = true;
    if (events.readyState === EventSource.CLOSED) setTimeout(listen, 15000);
  });
}
listen();
// What could not be shown then is shown when the person is done.
setInterval(update, 2000);
