// "Say it there": what the reader knows about an edge, as words for the recipe and the command that learn again.
import { content, names } from "./content.js";
import { all, button, byId, make, nameOf, visible, withClass } from "./elements.js";

const said = []; // { word: "required" | "forbidden", from, to, shown }

function say(word, from, to, shown) {
  const clash = (one) => (one.word === "required" || word === "required") && [from, to].includes(one.from) && [from, to].includes(one.to);
  const same = (one) => one.word === word && one.from === from && one.to === to;
  for (let i = said.length - 1; i >= 0; i -= 1) if (clash(said[i]) || same(said[i])) said.splice(i, 1);
  said.push({ word, from, to, shown });
  tellSaid();
  byId("said").open = true;
}

/** Buttons that say something about two columns. */
export function sayingTools(a, b) {
  if (!content.recipe) return [];
  const arrow = (from, to) => [nameOf(from), " → ", nameOf(to)];
  const cannot = (from, to) => button(arrow(from, to), () => say("forbidden", from, to, [nameOf(from), " cannot cause ", nameOf(to)]), "small");
  const must = (from, to) => button(arrow(from, to), () => say("required", from, to, [nameOf(from), " must cause ", nameOf(to)]), "small");
  const earlier = (from, to) => button([nameOf(from)], () => say("forbidden", to, from, [nameOf(from), " is earlier than ", nameOf(to)]), "small");
  const row = (label, ...buttons) => make("p", withClass(make("span", label), "dim"), ...buttons.flatMap((one) => [" ", one]));
  return [withClass(make("div",
    make("h4", "Do you know better?"),
    row("Cannot be:", cannot(a, b), cannot(b, a)),
    row("Must be:", must(a, b), must(b, a)),
    row("Earlier:", earlier(a, b), earlier(b, a)),
  ), "saying")];
}

function quoted(text) {
  const escaped = [...text].map((sign) => {
    if (sign === '"' || sign === "\\") return `\\${sign}`;
    const code = sign.codePointAt(0);
    if (code >= 0xd800 && code <= 0xdfff) return "\\uFFFD";
    return code < 0x20 || (code >= 0x7f && code <= 0x9f) || code === 0x2028 || code === 0x2029 ? `\\U${code.toString(16).padStart(8, "0")}` : sign;
  });
  return `"${escaped.join("")}"`;
}

/** The recipe with all that was said, as TOML. */
function recipe() {
  const lines = ["required", "forbidden"].flatMap((word) => {
    const arrows = [...content.recipe[word], ...said.filter((one) => one.word === word).map((one) => [names[one.from], names[one.to]])];
    const written = [...new Set(arrows.map(([from, to]) => `[${quoted(from)}, ${quoted(to)}]`))];
    return written.length ? [`${word} = [${written.join(", ")}]`] : [];
  });
  const head = content.recipe.knowledge.trim() || "[knowledge]";
  return `${content.recipe.toml.trimEnd()}\n\n${head}\n${lines.join("\n")}\n`;
}

function command() {
  const target = content.recipe.target === null ? "" : ` --target ${quoted(content.recipe.target)}`;
  return `paucal ${content.recipe.command} your-table.csv${target} --recipe recipe.toml --report page.html`;
}

function tellSaid() {
  const box = byId("said");
  box.hidden = said.length === 0;
  if (!said.length) return;
  const items = said.map((one) => {
    const forget = () => { said.splice(said.indexOf(one), 1); tellSaid(); };
    return make("li", ...one.shown.map((part) => (typeof part === "string" ? part : part.cloneNode(true))), ". ", button("Forget", forget, "small"));
  });
  byId("said-list").replaceChildren(...items);
  byId("said-command").textContent = visible(command());
  byId("said-recipe").textContent = recipe();
}

export function listen() {
  byId("said-clear").addEventListener("click", () => { said.length = 0; tellSaid(); });
  byId("said-copy").addEventListener("click", () => {
    const range = document.createRange();
    range.selectNodeContents(byId("said-recipe"));
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    if (navigator.clipboard) navigator.clipboard.writeText(byId("said-recipe").textContent).catch(() => {});
    all("#said-copy").forEach((one) => { one.textContent = "Copied"; });
  });
}
