"use strict";
// Live answers: the page itself is asked again as a fragment, and its parts are swapped. No arithmetic here.
(() => {
  const form = document.getElementById("form");
  const live = document.getElementById("live");
  const WAIT = 300, SAY = 500, COPIED = 2000;
  let asked = 0, timer = 0, speaking = 0, before = null;

  const query = () => {
    const pairs = new URLSearchParams();
    for (const [name, value] of new FormData(form)) if (typeof value === "string") pairs.append(name, value);
    return pairs;
  };

  const say = (text) => {
    clearTimeout(speaking);
    speaking = setTimeout(() => { live.textContent = text; }, SAY);
  };

  const swap = (fresh, whole) => {
    const focused = document.activeElement && document.activeElement.id;
    const chosen = document.activeElement && document.activeElement.name
      ? [document.activeElement.name, document.activeElement.value] : null;
    if (whole) {
      const next = fresh.getElementById("form");
      const open = form.querySelector("details.more")?.open;
      form.replaceChildren(...next.childNodes);
      const more = form.querySelector("details.more");
      if (more && open) more.open = true;
    }
    for (const part of document.querySelectorAll("[data-live]")) {
      if (part.closest("#form") && whole) continue;
      const next = fresh.querySelector(`[data-live="${part.dataset.live}"]`);
      if (!next) continue;
      const field = part.closest(".field");
      if (field) {
        const typing = field.contains(document.activeElement) && next.querySelector(".error");
        if (typing) continue; // an error shows when its field is left, not while it is typed
        const wrong = next.closest(".field").classList.contains("wrong");
        field.classList.toggle("wrong", wrong);
        const box = field.querySelector(".box input, .box select, .box textarea");
        if (box) wrong ? box.setAttribute("aria-invalid", "true") : box.removeAttribute("aria-invalid");
      }
      part.replaceChildren(...next.cloneNode(true).childNodes);
    }
    if (whole) {
      const back = (focused && document.getElementById(focused)) || (chosen &&
        [...form.elements].find((one) => one.name === chosen[0] && (one.type !== "radio" || one.checked)));
      if (back) back.focus();
    }
    const canonical = fresh.getElementById("form").dataset.canonical;
    if (canonical && !fresh.querySelector(".field.wrong")) history.replaceState(null, "", canonical);
    const hero = document.getElementById("hero");
    if (hero) say(hero.dataset.said);
  };

  const ask = async (whole) => {
    const mine = ++asked;
    const answer = document.getElementById("answer");
    const slow = setTimeout(() => {
      answer.classList.add("stale");
      const sentence = answer.querySelector(".sentence");
      if (sentence) sentence.textContent = live.dataset.computing;
    }, WAIT);
    try {
      const pairs = query();
      pairs.set("fragment", "1");
      const post = form.method === "post";
      const reply = post
        ? await fetch(form.action, { method: "POST", body: pairs, headers: { Accept: "text/html" } })
        : await fetch(`${form.getAttribute("action")}?${pairs}`, { headers: { Accept: "text/html" } });
      if (reply.status >= 500 || !(reply.headers.get("content-type") || "").startsWith("text/html")) throw new Error("no answer");
      const text = await reply.text();
      if (mine !== asked) return;
      swap(new DOMParser().parseFromString(text, "text/html"), whole);
      document.getElementById("gone").hidden = true;
    } catch {
      if (mine === asked) document.getElementById("gone").hidden = false;
    } finally {
      clearTimeout(slow);
      if (mine === asked) answer.classList.remove("stale");
    }
  };

  if (form) {
    form.addEventListener("input", (event) => {
      const field = event.target.closest(".field");
      const chip = field && field.querySelector(".from");
      if (chip) chip.remove();
      clearTimeout(timer);
      if (event.target.type !== "radio" && event.target.tagName !== "SELECT") timer = setTimeout(() => ask(false), WAIT);
    });
    form.addEventListener("change", (event) => {
      if (event.target.type === "radio" || event.target.tagName === "SELECT") { clearTimeout(timer); ask(true); }
    });
    form.addEventListener("focusin", (event) => { before = event.target.value; });
    form.addEventListener("focusout", (event) => {
      if (event.target.matches(".box input, .box textarea") && event.target.value !== before) {
        clearTimeout(timer);
        setTimeout(() => ask(false), 0);
      }
    });
    form.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && event.target.matches(".box input, .box textarea") && before !== null) {
        event.target.value = before;
        clearTimeout(timer);
        ask(false);
      }
    });
    form.addEventListener("wheel", (event) => {
      if (event.target === document.activeElement && event.target.tagName === "INPUT") event.target.blur();
    }, { passive: true });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      clearTimeout(timer);
      document.activeElement?.blur();
      ask(true);
    });
  }

  document.addEventListener("click", async (event) => {
    const link = event.target.closest("a[data-copy]");
    if (!link || !navigator.clipboard || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    try {
      const text = link.dataset.copy === "link" ? link.href : await (await fetch(link.href)).text();
      await navigator.clipboard.writeText(text);
      const label = link.textContent;
      link.textContent = live.dataset.copied;
      live.textContent = live.dataset.copied;
      setTimeout(() => { link.textContent = label; }, COPIED);
    } catch {
      location.href = link.href;
    }
  });
})();
