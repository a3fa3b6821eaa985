// Makes and changes elements. Text is always set as text, so nothing of the data becomes markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "class") node.setAttribute("class", value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
}

/** An element of HTML: h("p", {class: "muted"}, "text", child). */
export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** An element of SVG. */
export function s(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** A name that may be broken behind its punctuation, and elsewhere only where nothing else helps. */
export function breakable(name) {
  return name.split(/(?<=[_.:/-])/).flatMap((part, at) => (at ? [h("wbr"), part] : [part]));
}

/** Sets the text of a node if it is another one, so that selections and readers are not disturbed. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Sets an attribute, or takes it away where the value is null. */
export function setAttribute(node, name, value) {
  if (value === null || value === undefined) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

/** Shows or hides a node. */
export function show(node, visible) {
  if (node.hidden === visible) node.hidden = !visible;
}

/**
 * Brings the children of a node in line with a list: one child a key, made once and moved only
 * where its place has changed, so that the focus stays where it is.
 */
export function keyed(parent, items, keyOf, make, update) {
  const present = new Map();
  for (const child of [...parent.children]) present.set(child.dataset.keyed, child);
  let place = parent.firstElementChild;
  for (const item of items) {
    const key = keyOf(item);
    let child = present.get(key);
    if (child) present.delete(key);
    else {
      child = make(item);
      child.dataset.keyed = key;
    }
    update(child, item);
    if (child === place) place = place.nextElementSibling;
    else parent.insertBefore(child, place);
  }
  for (const gone of present.values()) gone.remove();
}
