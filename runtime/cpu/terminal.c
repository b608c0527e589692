#include "terminal.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static struct termios before;
static char text[256];
static _Atomic int terminal = -1;

void terminal_remember(int fd, const char *sequence) {
  if (tcgetattr(fd, &before) != 0) return;
  strncpy(text, sequence, sizeof text - 1);
  atomic_store(&terminal, fd);
}

void terminal_forget(void) { atomic_store(&terminal, -1); }

void terminal_put_back(void) {
  int fd = atomic_load(&terminal);
  if (fd < 0) return;
  // Threads that still draw do so nowhere, or they would move the cursor over the message.
  int own = dup(fd), nowhere = open("/dev/null", O_WRONLY);
  if (own < 0 || nowhere < 0 || dup2(nowhere, fd) < 0 || write(own, text, strlen(text)) < 0) return;
  // Another thread may be about to set the terminal up.
  for (int i = 0; i < 3; i++) {
    tcsetattr(own, TCSANOW, &before);
    usleep(20000);
  }
}
