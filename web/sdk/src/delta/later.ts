/** Runs work in a task of its own. */

export type Task = (run: () => void, delay: number) => void;

/** Run soon, before other tasks of the page, or after a delay in milliseconds. */
export const runLater: Task = (run, delay) => {
  const scheduler = (globalThis as { scheduler?: { postTask(run: () => void, options: object): Promise<unknown> } }).scheduler;
  if (delay <= 0 && scheduler) void scheduler.postTask(run, { priority: "user-blocking" });
  else setTimeout(run, delay);
};
