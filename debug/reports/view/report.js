// The self-contained report. It embeds the data of one page and fetches nothing.

import { at } from "./dom.js";
import { createInspector } from "./inspector.js";
import { createState } from "./state.js";

createInspector(at("inspector"), createState([JSON.parse(at("data").textContent)]), at("picture"));
