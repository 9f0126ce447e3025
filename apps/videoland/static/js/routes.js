// The pages and their route ids; the last one is used for every other address.

import * as billing from "./pages/billing.js";
import * as create from "./pages/create.js";
import * as dashboard from "./pages/dashboard.js";
import * as detail from "./pages/detail.js";
import * as login from "./pages/login.js";
import * as missing from "./pages/missing.js";
import * as settings from "./pages/settings.js";
import * as studio from "./pages/studio.js";
import * as team from "./pages/team.js";
import * as videos from "./pages/videos.js";
import * as virtual from "./pages/virtual.js";

export const ROUTES = [
  { id: "login", pattern: /^\/login$/, title: "login.title", render: login.render },
  { id: "dashboard", pattern: /^\/$/, title: "nav.dashboard", render: dashboard.render },
  { id: "videos", pattern: /^\/videos$/, title: "nav.videos", render: videos.render },
  { id: "videos.virtual", pattern: /^\/videos\/virtual$/, title: "virtual.title", render: virtual.render },
  { id: "videos.new", pattern: /^\/videos\/new$/, title: "create.title", render: create.render },
  { id: "videos.detail", pattern: /^\/videos\/(?<id>\d+)$/, title: "nav.videos", render: detail.render },
  { id: "studio", pattern: /^\/studio$/, title: "nav.studio", render: studio.render },
  { id: "team", pattern: /^\/team$/, title: "nav.team", render: team.render },
  { id: "billing", pattern: /^\/billing$/, title: "nav.billing", render: billing.render },
  { id: "settings", pattern: /^\/settings$/, title: "nav.settings", render: settings.render },
  { id: "missing", pattern: /^/, title: "missing.title", render: missing.render },
];
