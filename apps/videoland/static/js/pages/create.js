// The page for a new video.

import { isAdmin, t } from "../boot.js";
import { h } from "../dom.js";
import { navigate } from "../router.js";
import { toast } from "../toast.js";
import { videoForm } from "../video_form.js";

export async function render() {
  const heading = h("h1", { tabindex: "-1" }, t("create.title"));
  if (!isAdmin()) return h("section.page.narrow", {}, heading, h("p", { role: "alert" }, t("error.forbidden")));
  const form = videoForm({
    saved: (video) => navigate(`/videos/${video.id}`).then(() => toast("toast.created", video)),
    cancelled: () => navigate("/videos"),
  });
  return h("section.page.narrow", {}, heading, h("p.muted", {}, t("create.intro")), h("div.card", {}, form));
}
