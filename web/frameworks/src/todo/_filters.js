/** The filter named by the address, and the to-dos that it shows. All applications share only this. */
export const FILTERS = [["All", "#/"], ["Active", "#/active"], ["Completed", "#/completed"]];
export const filterNow = () => location.hash || "#/";
export const shownBy = (filter, todos) => todos.filter((one) => (filter === "#/active" ? !one.completed : filter === "#/completed" ? one.completed : true));
export const root = () => document.getElementById("root");
