// Members and invitations. No annotations here on purpose: names and roles have to be enough.

import { get, post, remove } from "../api.js";
import { day, isAdmin, number, t } from "../boot.js";
import { h } from "../dom.js";
import { choice, errorSummary, field, showErrors } from "../field.js";
import { toast } from "../toast.js";

export async function render({ signal }) {
  const team = await get("/api/team", signal);
  const open = h("section.card", { "aria-labelledby": "open-title" });

  async function refresh() {
    team.invitations = (await get("/api/team", signal)).invitations;
    drawOpen(open, team.invitations, refresh);
  }
  drawOpen(open, team.invitations, refresh);
  return h("div.page", {}, h("h1", { tabindex: "-1" }, t("nav.team")), h("p.muted", {}, t("team.intro")),
    h("div.columns", {}, members(team.members), h("div.stack", {}, isAdmin() && invite(refresh), open)));
}

function members(people) {
  return h("section.card", { "aria-labelledby": "members-title" },
    h("h2", { id: "members-title" }, t("team.members")),
    h("table", { "aria-labelledby": "members-title" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("field.name")), h("th", { scope: "col" }, t("field.email")),
        h("th", { scope: "col" }, t("field.role")))),
      h("tbody", {}, people.map((one) => h("tr", {}, h("th", { scope: "row" }, one.name), h("td", {}, one.email),
        h("td", {}, t(`role.${one.role}`)))))));
}

function invite(refresh) {
  const email = h("input", { id: "invite-email", name: "email", type: "email", autocomplete: "off", placeholder: "name@company.example" });
  const role = h("select", { id: "invite-role", name: "role" }, choice("role", ["viewer", "admin"], "viewer"));
  const form = h("form.card", { novalidate: true, "aria-labelledby": "invite-title" },
    h("h2", { id: "invite-title" }, t("team.invite")), errorSummary(),
    field({ id: "invite-email", name: "email", label: t("field.email"), control: email }),
    field({ id: "invite-role", name: "role", label: t("field.role"), control: role }),
    h("div.actions.end", {}, h("button.button.primary", { type: "submit" }, t("team.send"))));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      const sent = await post("/api/invitations", { email: email.value, role: role.value });
      showErrors(form, {});
      email.value = "";
      toast("toast.invited", sent);
      await refresh();
    } catch (error) {
      if (error.status === 422) showErrors(form, error.errors);
      else toast("error.server", {}, "failed");
    }
  });
  return form;
}

function drawOpen(box, invitations, refresh) {
  const revoke = async (one) => {
    try {
      await remove(`/api/invitations/${one.id}`);
      toast("toast.revoked", one);
      await refresh();
    } catch {
      toast("error.server", {}, "failed");
    }
  };
  box.replaceChildren(
    h("h2", { id: "open-title" }, t("team.open", { count: number(invitations.length) })),
    invitations.length ? "" : h("p.muted", {}, t("team.none")),
    h("ul.rows", {}, invitations.map((one) =>
      h("li", {}, h("span", {}, one.email, h("small", {}, `${t(`role.${one.role}`)} · ${day(one.sent_at)}`)),
        isAdmin() && h("button.button.small", { type: "button", onclick: () => revoke(one) }, t("team.revoke"))))));
}
