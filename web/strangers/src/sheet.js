import jspreadsheet from "jspreadsheet-ce";
import "jspreadsheet-ce/dist/jspreadsheet.css";
import "jsuites/dist/jsuites.css";

window.sheet = jspreadsheet(document.getElementById("app"), {
  data: [["Rent", 900], ["Food", 300]],
  columns: [{ type: "text", title: "Item", width: 160 }, { type: "numeric", title: "Amount", width: 100 }],
});
