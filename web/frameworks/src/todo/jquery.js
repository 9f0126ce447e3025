import $ from "jquery";
import { filterNow, FILTERS, root, shownBy } from "./_filters.js";

let nextId = 1;
let todos = [];
window.todos = () => todos;
const escape = (text) => $("<p>").text(text).html().replace(/"/g, "&quot;");
const idOf = (el) => Number($(el).closest("li").data("id"));

/** The whole list is written again after every change. */
function render() {
  const left = todos.filter((one) => !one.completed).length;
  $(".todo-list").html(shownBy(filterNow(), todos).map((one) => `<li class="${one.completed ? "completed" : ""}" data-id="${one.id}">
    <div class="view"><input class="toggle" type="checkbox" ${one.completed ? "checked" : ""}><label>${escape(one.title)}</label><button class="destroy"></button></div>
    <input class="edit" value="${escape(one.title)}"></li>`).join(""));
  $("footer").toggle(todos.length > 0).html(`<span class="todo-count">${left} left</span><ul class="filters">${FILTERS.map(([name, hash]) => `<li><a href="${hash}" class="${hash === filterNow() ? "selected" : ""}">${name}</a></li>`).join("")}</ul>${todos.length > left ? '<button class="clear-completed">Clear completed</button>' : ""}`);
  $(".new-todo").trigger("focus");
}
$(root()).html('<section class="todoapp"><header><h1>todos</h1><input class="new-todo" placeholder="What needs to be done?" autofocus></header><ul class="todo-list"></ul><footer></footer></section>');
$(".new-todo").on("keyup", (event) => {
  const title = $(event.target).val().trim();
  if (event.which !== 13 || !title) return;
  todos.push({ id: nextId++, title, completed: false });
  $(event.target).val("");
  render();
});
$(".todo-list")
  .on("change", ".toggle", (event) => { const one = todos.find((todo) => todo.id === idOf(event.target)); one.completed = !one.completed; render(); })
  .on("dblclick", "label", (event) => { const box = $(event.target).closest("li").addClass("editing").find(".edit"); const text = box.val(); box.val("").val(text).trigger("focus"); })
  .on("keyup", ".edit", (event) => {
    if (event.which === 13) event.target.blur();
    if (event.which === 27) $(event.target).data("abort", true).trigger("blur");
  })
  .on("focusout", ".edit", (event) => {
    const one = todos.find((todo) => todo.id === idOf(event.target));
    const title = $(event.target).val().trim();
    if (one && !$(event.target).data("abort")) one.title = title;
    todos = todos.filter((todo) => todo.title);
    render();
  })
  .on("click", ".destroy", (event) => { todos = todos.filter((todo) => todo.id !== idOf(event.target)); render(); });
$("footer").on("click", ".clear-completed", () => { todos = todos.filter((one) => !one.completed); render(); });
$(window).on("hashchange", render);
render();
