const later = JSON.parse(document.getElementById("later").textContent);
const more = document.getElementById("more");
const watcher = new IntersectionObserver((entries) => {
  if (!entries.some((entry) => entry.isIntersecting)) return;
  more.insertAdjacentHTML("beforebegin", later.shift());
  watcher.unobserve(more);
  // Watching afresh reports again when the mark is still in view.
  if (later.length) watcher.observe(more);
  else more.remove();
});
watcher.observe(more);
