/** Names the file to which every test file appends a line of JSON when it has ended. */
export const FILE_TIMES_VARIABLE = 'LOCI_TEST_TIMES';

/** How long the process of a test file lived, and the processor time of it and of the processes that it started, in seconds. */
export type FileTimes = { file: string; wall_s: number; cpu_s: number; children_cpu_s: number };
