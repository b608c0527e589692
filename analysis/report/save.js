
// The files in this page.
async function save(part) {
  const text = atob(part.textContent.replace(/-/g, '+').replace(/_/g, '/'));
  const bytes = Uint8Array.from(text, letter => letter.charCodeAt(0));
  const whole = new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')));
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await whole.blob());
  link.download = part.dataset.name.replace(/\//g, '-');
  link.click();
}

const parts = document.querySelectorAll('script[data-name]');
document.querySelectorAll('button.save').forEach((button, i) => {
  button.hidden = false;
  button.addEventListener('click', () => save(parts[i]));
});
