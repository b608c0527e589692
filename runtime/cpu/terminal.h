/* terminal.h: restores the terminal when a kernel crashes. Nothing else in the program
 * gets the chance to. */
#pragma once

/* Saves the terminal's current settings, and the escape sequence that undoes what the
 * program will send to it. */
void terminal_remember(int fd, const char *sequence);
void terminal_forget(void);

/* Restores the saved settings, if any; what is written to the terminal from then on is lost.
 * Safe in a signal handler. */
void terminal_put_back(void);
