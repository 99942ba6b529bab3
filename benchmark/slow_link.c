/* A router between two TUN devices that delays packets and loses some.
 *
 *     slow_link FD FD DELAY_US LOSS_PPM SEED MULTICAST
 *
 * Without MULTICAST (0), packets to groups are dropped. Packets keep their order. Ends on SIGTERM or SIGINT, and prints how many were passed on and lost.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MOST 2048
#define PLACES 65536

struct packet {
  uint64_t due;
  uint16_t size;
  unsigned char data[MOST];
};

/* What is on its way in one direction. */
struct line {
  struct packet *packets;
  unsigned first, count;
};

static volatile sig_atomic_t is_over;

static void end(int number) {
  (void)number;
  is_over = 1;
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint64_t draw(uint64_t *state) {
  uint64_t word = *state += 0x9E3779B97F4A7C15u;
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
  return word ^ (word >> 31);
}

int main(int count, char **arguments) {
  if (count != 7) {
    fprintf(stderr, "usage: slow_link FD FD DELAY_US LOSS_PPM SEED MULTICAST\n");
    return 2;
  }
  int ends[2] = {atoi(arguments[1]), atoi(arguments[2])};
  uint64_t delay = strtoull(arguments[3], NULL, 10) * 1000u;
  uint64_t loss = strtoull(arguments[4], NULL, 10);
  uint64_t state = strtoull(arguments[5], NULL, 10);
  int multicast = atoi(arguments[6]);
  uint64_t passed = 0, lost = 0, full = 0;
  struct line lines[2];
  for (int side = 0; side < 2; side++) {
    lines[side].packets = malloc(sizeof(struct packet) * PLACES);
    lines[side].first = lines[side].count = 0;
    if (!lines[side].packets) return 1;
  }
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = end;
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);
  while (!is_over) {
    uint64_t time = now(), next = UINT64_MAX;
    for (int side = 0; side < 2; side++) {
      struct line *line = &lines[side];
      while (line->count && line->packets[line->first].due <= time) {
        struct packet *packet = &line->packets[line->first];
        if (write(ends[1 - side], packet->data, packet->size) < 0 && errno == EAGAIN) break;
        line->first = (line->first + 1) % PLACES;
        line->count--;
        passed++;
      }
      if (line->count && line->packets[line->first].due < next) next = line->packets[line->first].due;
    }
    struct timespec wait = {1, 0};
    if (next != UINT64_MAX) {
      uint64_t left = next > time ? next - time : 0;
      wait.tv_sec = (time_t)(left / 1000000000u);
      wait.tv_nsec = (long)(left % 1000000000u);
    }
    struct pollfd polled[2] = {{ends[0], POLLIN, 0}, {ends[1], POLLIN, 0}};
    if (ppoll(polled, 2, &wait, NULL) <= 0) continue;
    for (int side = 0; side < 2; side++) {
      struct line *line = &lines[side];
      for (int more = 0; more < 64; more++) {
        unsigned char data[MOST];
        ssize_t size = read(ends[side], data, sizeof data);
        if (size <= 0) break;
        /* The destination of a packet of IP version 4, 224.0.0.0 to 239.255.255.255. */
        if (!multicast && size > 16 && data[0] >> 4 == 4 && data[16] >> 4 == 14) continue;
        if (draw(&state) % 1000000u < loss) {
          lost++;
        } else if (line->count == PLACES) {
          full++;
        } else {
          struct packet *packet = &line->packets[(line->first + line->count++) % PLACES];
          packet->due = now() + delay;
          packet->size = (uint16_t)size;
          memcpy(packet->data, data, (size_t)size);
        }
      }
    }
  }
  printf("%llu %llu %llu\n", (unsigned long long)passed, (unsigned long long)lost,
         (unsigned long long)full);
  return 0;
}
