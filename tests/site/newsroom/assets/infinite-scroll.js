let number = 0;
const mark = document.getElementById("next");
const watcher = new IntersectionObserver(async (entries) => {
  if (!entries.some((entry) => entry.isIntersecting)) return;
  watcher.unobserve(mark);
  const reply = await fetch(`/api/next?n=${number++}`);
  mark.insertAdjacentHTML("beforebegin", await reply.text());
  watcher.observe(mark);
}, { rootMargin: "300px" });
watcher.observe(mark);
