import ko from "knockout";

const preco = ko.observable("");
const anuncios = ko.observableArray([]);
const model = {
  preco,
  anuncios,
  resumo: ko.pureComputed(() => (preco() ? `R$ ${Number(preco()).toLocaleString("pt-BR", { minimumFractionDigits: 2 })} por mês` : "")),
  async enviar() {
    const answer = await fetch("anuncios", { method: "POST", body: preco() });
    if (answer.ok) anuncios.push(`Proposta de ${preco()} enviada`);
  },
};
ko.applyBindings(model);
