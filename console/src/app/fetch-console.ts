/** The console's page as the service has it now; null while the service cannot be reached. */
export async function fetchConsole(): Promise<string | null> {
  try {
    const answer = await fetch('/console/', { cache: 'no-store' });
    return answer.ok ? await answer.text() : null;
  } catch {
    return null;
  }
}
