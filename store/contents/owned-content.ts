/** A content that this run owns and may work on, with what the steps need of it. */
export type OwnedContent = {
  content_id: string;
  version: number;
  reader: string;
  /** How often work on this content began in this stage, this time included, without coming to an end. */
  dead_attempts: number;
  name: string;
  type: string | null;
  size: number | null;
  content_hash: string | null;
  source: 'file' | 'url' | 'text';
  url: string | null;
  main_text: boolean;
  reread: boolean;
};
