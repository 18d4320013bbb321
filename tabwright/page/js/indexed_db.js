// Reads the databases of the page's origin, or replaces them, in the form of Playwright's storage state.
async function indexedDatabases(wanted) {
  "use strict";
  const CHARACTERS_MAX = 20_000_000;
  const ended = (request) => new Promise((done, fail) => {
    request.onsuccess = () => done(request.result);
    request.onerror = () => fail(request.error);
    request.onblocked = () => fail(new Error("blocked"));
  });
  const isPlain = (value) => value === null || ["string", "boolean"].includes(typeof value)
    || (typeof value === "number" && Number.isFinite(value) && !Object.is(value, -0))
    || (Array.isArray(value) && value.every(isPlain))
    || (Object.getPrototypeOf(value ?? 0) === Object.prototype && Object.values(value).every(isPlain));
  const encode = (value) => {
    if (value === undefined) return { v: "undefined" };
    if (typeof value === "bigint") return { bi: value.toString() };
    if (typeof value === "number") return Object.is(value, -0) ? { v: "-0" } : Number.isFinite(value) ? { n: value } : { v: String(value) };
    if (value instanceof Date) return { d: value.toJSON() };
    if (Array.isArray(value)) return { a: value.map(encode), id: 0 };
    if (Object.getPrototypeOf(value ?? 0) === Object.prototype) return { o: Object.entries(value).map(([k, v]) => ({ k, v: encode(v) })), id: 0 };
    if (isPlain(value)) return typeof value === "string" ? { s: value } : typeof value === "boolean" ? { b: value } : { v: "null" };
    throw new Error("a value of this type cannot be saved");
  };
  const decode = (value) => {
    if ("v" in value) return { undefined, null: null, NaN, Infinity, "-Infinity": -Infinity, "-0": -0 }[value.v];
    if ("bi" in value) return BigInt(value.bi);
    if ("d" in value) return new Date(value.d);
    if ("a" in value) return value.a.map(decode);
    if ("o" in value) return Object.fromEntries(value.o.map(({ k, v }) => [k, decode(v)]));
    for (const kind of ["n", "s", "b"]) if (kind in value) return value[kind];
    throw new Error("a value of this type cannot be restored");
  };
  const put = (record, name, value) => isPlain(value) ? { ...record, [name]: value } : { ...record, [`${name}Encoded`]: encode(value) };
  const get = (record, name) => `${name}Encoded` in record ? decode(record[`${name}Encoded`]) : record[name];
  const path = (keyPath) => Array.isArray(keyPath) ? { keyPathArray: keyPath } : keyPath === null ? {} : { keyPath };
  const records = async (store) => {
    const [keys, values] = await Promise.all([ended(store.getAllKeys()), ended(store.getAll())]);
    return values.map((value, index) => put(store.keyPath === null ? put({}, "key", keys[index]) : {}, "value", value));
  };
  const read = async ({ name }) => {
    const database = await ended(indexedDB.open(name));
    try {
      if (!database.objectStoreNames.length) return { name, version: database.version, stores: [] };
      const transaction = database.transaction(database.objectStoreNames, "readonly");
      const stores = await Promise.all([...database.objectStoreNames].map(async (one) => {
        const store = transaction.objectStore(one);
        const indexes = [...store.indexNames].map((index) => store.index(index)).map((index) =>
          ({ name: index.name, ...path(index.keyPath), multiEntry: index.multiEntry, unique: index.unique }));
        return { name: one, ...path(store.keyPath), autoIncrement: store.autoIncrement, indexes, records: await records(store) };
      }));
      return { name, version: database.version, stores };
    } finally {
      database.close();
    }
  };
  const restore = async ({ name, version, stores }) => {
    await ended(indexedDB.deleteDatabase(name));
    const opening = indexedDB.open(name, version);
    opening.onupgradeneeded = () => {
      for (const { name: one, keyPathArray, keyPath = null, autoIncrement, indexes } of stores) {
        const store = opening.result.createObjectStore(one, { autoIncrement, keyPath: keyPathArray ?? keyPath });
        for (const index of indexes) store.createIndex(index.name, index.keyPathArray ?? index.keyPath, { unique: index.unique, multiEntry: index.multiEntry });
      }
    };
    const database = await ended(opening);
    try {
      for (const one of stores) {
        const store = database.transaction(one.name, "readwrite").objectStore(one.name);
        await Promise.all(one.records.map((record) => {
          const inline = store.keyPath !== null;
          return ended(inline ? store.put(get(record, "value")) : store.put(get(record, "value"), get(record, "key")));
        }));
      }
    } finally {
      database.close();
    }
  };
  try {
    if (wanted) {
      for (const database of JSON.parse(wanted)) await restore(database);
      return JSON.stringify({ origin: location.origin, webStorage: "[]" });
    }
    const found = JSON.stringify(await Promise.all((await indexedDB.databases()).map(read)));
    if (found.length > CHARACTERS_MAX) throw new Error("the databases are too large");
    return JSON.stringify({ origin: location.origin, webStorage: found.toWellFormed() });
  } catch (error) {
    return JSON.stringify({ origin: location.origin, webStorage: "", problem: String(error.message).slice(0, 200).toWellFormed() });
  }
}
