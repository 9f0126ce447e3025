module.exports = {
    flowFile: "flows.json",
    uiHost: "localhost",
    telemetry: { enabled: false, updateNotification: false },
    diagnostics: { enabled: true, ui: true },
    editorTheme: { tours: false, projects: { enabled: false } },
    logging: { console: { level: "info", metrics: false, audit: false } },
};
