/** `express`: somebody waits for the result. `bulk`: the rest, which gives way. Imported by workflows: no zod, no I/O. */
export type WorkLane = 'express' | 'bulk';

/** On whose behalf limited resources (processes, threads, the embedder) are used. */
export type WorkShare = {
  /** Default `bulk`. */
  lane?: WorkLane;
  /** A workspace id. Within a lane, shares are served in turn. */
  share?: string;
};
