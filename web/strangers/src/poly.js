import "unpoly/unpoly.js";
import "unpoly/unpoly.css";

document.getElementById("app").innerHTML = `<main up-main><h1>New room</h1><form action="rooms" method="post" up-submit up-fail-target="form"><label>Room <input name=room></label><button>Book room</button></form></main>`;
up.hello(document.body);
