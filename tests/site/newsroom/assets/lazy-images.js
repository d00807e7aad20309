const watcher = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    target.src = target.dataset.src;
    watcher.unobserve(target);
  }
});
document.querySelectorAll("img.lazy").forEach((image) => watcher.observe(image));
