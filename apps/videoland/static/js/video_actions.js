// Deleting and publishing one video, shared by the lists and the detail page.

import { post, remove } from "./api.js";
import { knobs, t } from "./boot.js";
import { say, toast } from "./toast.js";
import { confirmed } from "./widgets/dialog.js";

const DELETE_RISK = { "data-uiap-id": "video.delete.confirm", "data-uiap-risk": "confirm", "data-uiap-risk-tags": "destructive" };

// `vanish` removes the video from the page and returns a function that restores it.
export async function deleteVideo(video, vanish) {
  const sure = await confirmed({
    title: t("delete.title"), text: t("delete.text", { title: video.title }), action: t("delete.action"),
    scope: "video.delete.dialog", attributes: DELETE_RISK,
  });
  if (!sure) return;
  const restore = knobs.optimistic ? await vanish() : null;
  if (knobs.optimistic) toast("toast.deleted", video);
  say(t("app.saving"));
  try {
    await remove(`/api/videos/${video.id}`);
    if (!knobs.optimistic) {
      await vanish();
      toast("toast.deleted", video);
    }
  } catch {
    await restore?.();
    toast("toast.delete_failed", video, "failed");
  }
  say("");
}

// `show` draws a status; with the optimistic knob it is called before the server answers.
export async function publishVideo(video, show) {
  const before = video.status;
  if (knobs.optimistic) {
    show("published");
    toast("toast.published", video);
  }
  say(t("app.saving"));
  try {
    await post(`/api/videos/${video.id}/publish`);
    show("published");
    if (!knobs.optimistic) toast("toast.published", video);
  } catch {
    show(before);
    toast("toast.publish_failed", video, "failed");
  }
  say("");
}
