const parts = JSON.parse(document.getElementById("parts").textContent);
document.getElementById("parts").remove();

customElements.define("news-story", class extends HTMLElement {
  connectedCallback() {
    const root = this.attachShadow({ mode: parts.mode });
    root.innerHTML = `<link rel="stylesheet" href="/assets/ledger.css">
      ${parts.head}<div class="article-body">${parts.body}</div>`;
  }
});
