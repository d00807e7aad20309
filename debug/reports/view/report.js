// The self-contained report: one page's data inside of it, nothing fetched.

import { at } from "./dom.js";
import { createInspector } from "./inspector.js";
import { createState } from "./state.js";

createInspector(at("inspector"), createState([JSON.parse(at("data").textContent)]), at("picture"));
