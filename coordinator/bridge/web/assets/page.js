// What the pages gain with JavaScript. Without it they search and reload all the same.
"use strict";

// "/" goes to the query, as in many readers; not while something is being written.
const query = document.getElementById("q");
document.addEventListener("keydown", (event) => {
  const writing = event.target.closest("input, select, textarea");
  if (query && event.key === "/" && !writing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    query.focus();
    query.select();
  }
});

// The cluster page takes its live part from the server again and again, while it can be seen and nobody has paused it.
const live = document.getElementById("live");
if (live) follow(live, document.getElementById("live-bar"));

function follow(live, bar) {
  const every = Number(live.dataset.every);
  const told = document.createElement("span");
  const pause = document.createElement("button");
  pause.type = "button";
  pause.className = "quiet-button";
  let paused = false;
  const show = () => {
    pause.textContent = paused ? "Follow" : "Pause";
    pause.setAttribute("aria-pressed", String(paused));
  };
  pause.addEventListener("click", () => {
    paused = !paused;
    show();
  });
  show();
  bar.append(told, pause);

  const refresh = async () => {
    try {
      const answer = await fetch(location.pathname, { cache: "no-store", signal: AbortSignal.timeout(5000) });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const next = page.getElementById("live");
      if (!next) throw new Error("not the cluster page");
      const scrolled = live.querySelector(".scroll")?.scrollLeft ?? 0;
      const inside = live.contains(document.activeElement);
      live.replaceChildren(...next.childNodes);
      const table = live.querySelector(".scroll");
      if (table) table.scrollLeft = scrolled;
      if (table && inside) table.focus();
      bar.classList.remove("lost");
      told.textContent = "Live, as of " + new Date().toLocaleTimeString();
    } catch {
      bar.classList.add("lost");
      told.textContent = "The server does not answer; trying again";
    }
  };
  const turn = async () => {
    if (!paused && document.visibilityState === "visible") await refresh();
    setTimeout(turn, every);
  };
  told.textContent = "Live";
  setTimeout(turn, every);
}
