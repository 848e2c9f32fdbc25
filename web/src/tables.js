// Tables that sort by any column.
import { all, make } from "./elements.js";

export function makeSortable(table) {
  const body = table.tBodies[0];
  const order = new Intl.Collator("en", { numeric: true });
  all("th", table).forEach((head, column) => {
    const button = make("button", ...head.childNodes);
    button.type = "button";
    head.replaceChildren(button);
    const numeric = head.classList.contains("num");
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      all("th", table).forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const value = (row) => row.cells[column].dataset.value;
      const compare = (a, b) => {
        if (!numeric) return order.compare(value(a), value(b));
        if (value(a) === "" || value(b) === "") return (value(a) === "") - (value(b) === ""); // gaps at the end
        return (Number(value(a)) - Number(value(b))) * (down ? -1 : 1);
      };
      const rows = [...body.rows].sort(compare);
      body.append(...(down && !numeric ? rows.reverse() : rows));
    });
  });
}
