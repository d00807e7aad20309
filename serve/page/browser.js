// Data kept in this browser across reloads: the last answer, and drafts by page. Where storage is
// unavailable, as in some private windows, nothing is restored and nothing fails.

const NAME = "miolo", VERSION = 1, MOST_DRAFTS = 200, LAST = "last";

const databaseReady = new Promise((resolve) => {
  if (!window.indexedDB) return resolve(null);
  const request = indexedDB.open(NAME, VERSION);
  request.onupgradeneeded = () => {
    request.result.createObjectStore("answers");
    request.result.createObjectStore("drafts", { keyPath: "key" }).createIndex("saved", "saved");
  };
  request.onsuccess = () => resolve(request.result);
  return (request.onerror = request.onblocked = () => resolve(null));
});

// The result of a request to a store, or undefined if storage is unavailable.
async function withStore(name, mode, act) {
  const database = await databaseReady;
  if (!database) return undefined;
  return new Promise((resolve) => {
    const transaction = database.transaction(name, mode), request = act(transaction.objectStore(name));
    transaction.oncomplete = () => resolve(request.result);
    transaction.onerror = transaction.onabort = () => resolve(undefined);
  });
}

export const keepAnswer = (answer) => withStore("answers", "readwrite", (store) => store.put(answer, LAST));
export const loadAnswer = () => withStore("answers", "readonly", (store) => store.get(LAST));
export const localDraft = (key) => withStore("drafts", "readonly", (store) => store.get(key));

export function keepDraft(draft) {
  return withStore("drafts", "readwrite", (store) => {
    const count = store.count();
    count.onsuccess = () => {
      if (count.result <= MOST_DRAFTS) return;
      store.index("saved").openKeyCursor().onsuccess = ({ target }) => store.delete(target.result.primaryKey);
    };
    return store.put(draft);
  });
}
