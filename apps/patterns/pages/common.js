/* The model is the truth of a page. Its behaviours change it, and the attributes follow it. */
const model = { log: [] }
const one = (selector, root = document) => root.querySelector(selector)
const all = (selector, root = document) => [...root.querySelectorAll(selector)]
const set = (el, values) => { for (const [name, value] of Object.entries(values)) value === null ? el.removeAttribute(name) : el.setAttribute(name, value) }
const next = (items, el, by) => items[(items.indexOf(el) + by + items.length) % items.length]
const rove = (items, el) => { for (const item of items) item.tabIndex = item === el ? 0 : -1; el.focus() }
const arrow = (event) => ({ ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 })[event.key] ?? 0
const isPress = (event) => event.key === 'Enter' || event.key === ' '
