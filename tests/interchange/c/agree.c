/* Reads (operation, label, sample) records, runs them, prints what happened: compared with Python. */
#include "network.h"
#include <stdio.h>

int main(void)
{
    static uint8_t record[2 + LETHE_FEATURES];
    static lethe_shown shown;
    while (fread(record, sizeof record, 1, stdin) == 1) {
        const uint8_t *const sample = record + 2;
#if LETHE_LEARNS
        if (record[0] == 'l') {
            lethe_learn(sample, &shown);
            lethe_teach(&shown, record[1]);
        } else
#endif
            lethe_recognise(sample, &shown);
        printf("%d %lu %lu %ld %lu:", (int)shown.imprinted, (unsigned long)shown.input_spikes,
               (unsigned long)shown.raises, (long)lethe_vote(&shown), (unsigned long)lethe_novelty(sample));
        for (unsigned k = 0; k < shown.n_winners; k++) printf(" %u", shown.winners[k]);
        printf("\n");
    }
    static uint8_t image[1 << 20];
    lethe_save(image, 0, sizeof image);
    for (uint32_t k = 0; k < lethe_image_bytes(); k++) printf("%02x", image[k]);
    printf("\n");
    return lethe_restore(image);
}
