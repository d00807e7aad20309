// Replaces the server's page by the same one, and adds a rail which the server did not send.
addEventListener("load", () => setTimeout(() => {
  const page = document.querySelector(".page");
  const fresh = page.cloneNode(true);
  const picks = document.createElement("section");
  picks.className = "most-read";
  picks.innerHTML = "<h2>Picked for you</h2><ol></ol>";
  for (const { url, title } of JSON.parse(document.getElementById("state").textContent)) {
    const anchor = Object.assign(document.createElement("a"), { href: url, textContent: title });
    const item = document.createElement("li");
    item.append(anchor);
    picks.querySelector("ol").append(item);
  }
  fresh.querySelector(".rail").prepend(picks);
  page.replaceWith(fresh);
  document.documentElement.dataset.hydrated = "yes";
}, 150));
