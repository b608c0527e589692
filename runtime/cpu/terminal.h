/* terminal.h: what a terminal was like before a program drew on it, for when a kernel
 * crashes: then nothing else of the program has the chance to put it in order. */
#ifndef HZ_TERMINAL_H
#define HZ_TERMINAL_H

/* Remembers how a terminal is now, and a text that takes back what it will be told to do. */
void terminal_remember(int fd, const char *sequence);
void terminal_forget(void);

/* Makes it as it was, if one is remembered. A signal's handler may call it. */
void terminal_put_back(void);

#endif
