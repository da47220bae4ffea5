/* So many calls with random arguments, valid and not; sanitizers watch. Says how many of each. */
#include "network.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t word(void)
{
    static uint64_t x = 88172645463325252u;
    x ^= x << 13; x ^= x >> 7; x ^= x << 17;
    return x >> 8;
}

int main(int argc, char **argv)
{
    const unsigned long calls = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    unsigned long done[8] = {0}, wrongly_restored = 0;
    const uint32_t size = lethe_image_bytes();
    uint8_t *const image = malloc(size), *const good = malloc(size), *const sample = malloc(LETHE_FEATURES);
    lethe_shown shown;
    if (!image || !good || !sample) return 2;
    memset(&shown, 0, sizeof shown);
    lethe_save(good, 0, size);
    for (unsigned long k = 0; k < calls; k++) {
        const unsigned which = (unsigned)(word() % 8);
        const unsigned kind = (unsigned)(word() % 4);
        for (uint32_t i = 0; i < LETHE_FEATURES; i++) { /* blank, single, sparse or full */
            const uint8_t x = (uint8_t)word();
            sample[i] = kind == 0 ? 0 : kind == 1 ? (uint8_t)(x * (i == k % LETHE_FEATURES)) : kind == 2 ? x & (uint8_t)-(x & 1) : x;
        }
        done[which]++;
        switch (which) {
        case 0: lethe_learn(sample, &shown); break;
        case 1: lethe_recognise(sample, &shown); break;
        case 2: lethe_novelty(sample); break;
        case 3: lethe_teach(&shown, (uint32_t)word() >> (word() % 32)); break;
        case 4: lethe_vote(&shown); break;
        case 5: { /* a page of the image, perhaps beyond its end */
            const uint32_t from = (uint32_t)(word() % (size + 9)), room = from < size ? size - from : 0;
            lethe_save(image, from, room);
            lethe_save(image, from, (uint32_t)word() % (size + 1));
            break;
        }
        case 6: /* a damaged image is refused */
            lethe_save(image, 0, size);
            image[word() % size] ^= (uint8_t)(1 + word() % 255);
            wrongly_restored += lethe_restore(image) == 0;
            break;
        default: /* a struct that the caller spoilt, or a good image again */
            if (kind == 0) for (size_t b = 0; b < sizeof shown; b++) ((uint8_t *)&shown)[b] = (uint8_t)word();
            else if (word() % 1000 == 0 && lethe_restore(good) != 0) return 3;
        }
    }
    for (int k = 0; k < 8; k++) printf("%lu ", done[k]);
    printf("wrongly restored %lu\n", wrongly_restored);
    free(image); free(good); free(sample);
    return wrongly_restored != 0;
}
