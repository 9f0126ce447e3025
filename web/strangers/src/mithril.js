import m from "mithril";

const app = document.getElementById("app");
let loans = [];

async function renew(loan) {
  const { pret, avis } = await m.request({ method: "POST", url: "prolonger", body: { id: loan.id } });
  loan.retour = pret.retour;
  loan.notice = avis;
}

const Loans = {
  oninit: () => m.request("prets").then((found) => { loans = found; }),
  view: () => [
    m("h1", app.dataset.title),
    m("dl", loans.map((loan) => [
      m("dt", loan.titre),
      m("dd", `Retour le ${loan.retour} `, m("button", { onclick: () => renew(loan) }, "Prolonger"), loan.notice && m("em", loan.notice)),
    ])),
  ],
};

m.mount(app, Loans);
