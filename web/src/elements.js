// Elements from text. Names from the data only ever become text, never markup.
import { content, names, rounded } from "./content.js";

const SVG = "http://www.w3.org/2000/svg";
export const byId = (id) => document.getElementById(id);
export const all = (selector, root = document) => [...root.querySelectorAll(selector)];

export function make(tag, ...children) {
  const element = document.createElement(tag);
  element.append(...children.filter((child) => child !== null));
  return element;
}

export function drawn(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
  element.append(...children);
  return element;
}

export function withClass(element, ...classes) {
  element.classList.add(...classes);
  return element;
}

export function button(label, action, ...classes) {
  const element = withClass(make("button", ...[label].flat()), ...classes);
  element.type = "button";
  element.addEventListener("click", action);
  return element;
}

export function visible(text) {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (sign) => {
    const code = sign.codePointAt(0);
    return code < 0x20 ? String.fromCodePoint(0x2400 + code) : code === 0x7f ? "\u2421" : "\ufffd";
  });
}

export function nameOf(node) {
  const element = withClass(make("bdi", visible(content.short[node] ?? names[node])), "name");
  element.title = visible(names[node]);
  return element;
}

export function listOf(nodes) {
  return nodes.flatMap((node, i) => (i ? [", ", nameOf(node)] : [nameOf(node)]));
}

export function sentence(text, a, b) {
  return text.split(/(\{a\}|\{b\})/).map((part) => (part === "{a}" ? nameOf(a) : part === "{b}" ? nameOf(b) : part));
}

export function number(value) {
  if (value === null) return "–";
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString("en");
  return String(Number(value.toPrecision(3)));
}

export function percent(share) {
  if (share > 0 && share < 0.01) return "under 1\u00a0%";
  return share > 0.99 && share < 1 ? "over 99\u00a0%" : `${Math.round(100 * rounded(share))}\u00a0%`;
}

export function note(text) {
  return withClass(make("p", text), "note");
}

export function gauge(share) {
  const rects = [["whole", 1], ["part", share]].map(([kind, part]) => drawn("rect", { class: kind, width: 100 * part, height: 10 }));
  return drawn("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", class: "bar", "aria-hidden": "true" }, ...rects);
}
