"""The only script: it adds a box that filters a long page by text. Without it only the box is missing.

It reads nothing but the page, and writes no mark-up. The page's policy allows this script by digest, and no other. It contains nothing
of a plan.
"""

FILTER = """
(() => {
  const form = document.querySelector('.filters[aria-label="Filter the table"]');
  if (!form) return;
  const field = document.createElement("fieldset"), name = document.createElement("legend");
  const box = document.createElement("input"), said = document.createElement("output");
  name.textContent = "Find";
  Object.assign(box, {type: "search", id: "f-text", autocomplete: "off", placeholder: "an address, a field, a value"});
  box.setAttribute("aria-label", "Only what has this text");
  field.append(name, box, said);
  form.prepend(field);
  const groups = [...document.querySelectorAll(".group")].map(group => ({
    group, open: group.open, rows: [...group.querySelectorAll(".plan > tbody > tr")].map(row => {
      const list = row.querySelector(".of"), items = list ? [...list.children] : [];
      return {row, items, words: null, each: null};
    })
  }));
  const words = node => node.textContent.toLowerCase();
  const read = one => {
    if (one.words !== null) return;
    one.each = one.items.map(words);
    const list = one.row.querySelector(".each"), all = words(one.row);
    one.words = list ? all.replace(words(list), "") : all;
  };
  const find = () => {
    const text = box.value.trim().toLowerCase();
    let shown = 0;
    for (const {group, open, rows} of groups) {
      let some = 0;
      for (const one of rows) {
        if (text) read(one);
        const whole = !text || one.words.includes(text);
        let count = 0;
        one.items.forEach((item, number) => {
          item.hidden = !(whole || one.each[number].includes(text));
          count += !item.hidden;
        });
        one.row.hidden = !(whole || count);
        const list = one.row.querySelector(".each");
        if (list) list.open = Boolean(text) && !one.row.hidden && !whole;
        some += one.row.hidden ? 0 : one.items.length ? count : 1;
      }
      group.hidden = !some;
      group.open = text ? some > 0 : open;
      shown += some;
    }
    said.textContent = text ? ` ${shown} found` : "";
  };
  box.addEventListener("input", find);
  form.addEventListener("submit", event => event.preventDefault());
})();
"""
