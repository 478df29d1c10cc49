/* What the reader of JSON Lines looks for in the text of many lines, at the speed of the machine.
 *
 * Each function does what one of Python does, which is its specification: `fairdeal_lists` and `fairdeal_hands` those of
 * `validator/evidence/jsonl/interning/scan_lists.py`, `fairdeal_codes` that of `hash_table.py`. Nothing is allocated,
 * kept or decoded here, no function calls itself, and whoever calls owns all memory. Every place is checked before it is
 * read or written: what there is no room for is REFUSED; what is not written as nearly all is, is UNUSUAL.
 */

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if !defined(__clang__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "vectors of bits are Clang's, and the first byte of a vector is taken to be its lowest bit"
#endif

/* WIDEST zeros follow on every text, so that so much can be read from any place in it; `size` is without them. */
enum { INTERFACE = 1, STRIDE = 64, WIDEST = 256 };
enum { UNUSUAL = -1, REFUSED = -2 };

typedef uint8_t bytes64 __attribute__((ext_vector_type(STRIDE)));
typedef bool bits64 __attribute__((ext_vector_type(STRIDE)));

/* The 64 bytes from a place within a text on. */
static bytes64 stride(const uint8_t *text, int64_t at) {
    bytes64 some;
    memcpy(&some, text + at, STRIDE);
    return some;
}

/* A bit for each byte that is this one. */
static uint64_t where(bytes64 some, uint8_t byte) {
    bits64 same = __builtin_convertvector(some == (bytes64)byte, bits64);
    uint64_t bits;
    memcpy(&bits, &same, sizeof bits);
    return bits;
}

/* The byte before a place, zero where there is none. */
static uint8_t before(const uint8_t *text, int64_t at) { return at ? text[at - 1] : 0; }

static bool ends(const uint8_t *text, int64_t at, const uint8_t *word, int64_t word_size) {
    return at >= word_size && !memcmp(text + at - word_size, word, (size_t)word_size);
}

int64_t fairdeal_interface(void) { return INTERFACE; }

/* How often some bytes stand in a text, none of them zero. */
int64_t fairdeal_count(const uint8_t *text, int64_t size, const uint8_t *bytes, int64_t kinds, int64_t *counts) {
    for (int64_t kind = 0; kind < kinds; kind++) counts[kind] = 0;
    for (int64_t at = 0; at < size; at += STRIDE) {
        bytes64 some = stride(text, at);
        for (int64_t kind = 0; kind < kinds; kind++) counts[kind] += __builtin_popcountll(where(some, bytes[kind]));
    }
    return 0;
}

/* The lists of some keys. `keys` are laid end to end, `key_sizes` long; what is found of each key stands in a row of its
 * own, with room for so many: where lists start and end, and how many objects each has (`list_start`, `list_end`,
 * `counts`); where objects start and end, and which are the last of their lists (`object_start`, `object_end`,
 * `object_last`). `found` has the number of lists and of objects of each key. `rest`, with room for `size` bytes, becomes
 * the text with these lists empty; its length is returned. UNUSUAL where a list has no end, stands in another, or is not
 * empty and does not begin with an object. */
int64_t fairdeal_lists(const uint8_t *text, int64_t size, const uint8_t *keys, const int64_t *key_sizes,
                       int64_t key_count, int64_t list_room, int64_t object_room, int64_t *list_start,
                       int64_t *list_end, int64_t *counts, int64_t *object_start, int64_t *object_end,
                       uint8_t *object_last, int64_t *found, uint8_t *rest) {
    int64_t open = -1, start = 0, first = 0, objects = 0, taken = 0, length = 0;
    for (int64_t key = 0; key < 2 * key_count; key++) found[key] = 0;
    for (int64_t from = 0; from < size; from += STRIDE) {
        bytes64 some = stride(text, from);
        uint64_t marks = where(some, '[') | where(some, ']') | where(some, '{');
        for (; marks; marks &= marks - 1) {
            int64_t at = from + __builtin_ctzll(marks);
            if (text[at] == '{') {
                if (open < 0) continue;
                if (objects == object_room) return REFUSED;
                int64_t row = open * object_room + objects;
                if (objects > first)
                    object_end[row - 1] = at;
                else if (at != start)
                    return UNUSUAL;
                object_start[row] = at;
                object_last[row] = 0;
                objects++;
            } else if (text[at] == ']') {
                if (open < 0 || before(text, at) == '[') continue;
                if (objects == first) return UNUSUAL;
                int64_t row = open * object_room + objects - 1;
                object_end[row] = at;
                object_last[row] = 1;
                row = open * list_room + found[2 * open];
                list_end[row] = at;
                counts[row] = objects - first;
                found[2 * open]++;
                found[2 * open + 1] = objects;
                memcpy(rest + length, text + taken, (size_t)(start - taken));
                length += start - taken;
                taken = at;
                open = -1;
            } else {
                int64_t key_end = at - (before(text, at) == ' '), key = 0;
                const uint8_t *word = keys;
                while (key < key_count && !ends(text, key_end, word, key_sizes[key])) word += key_sizes[key++];
                if (key == key_count) continue;
                if (open >= 0) return UNUSUAL;
                if (found[2 * key] == list_room) return REFUSED;
                int64_t row = key * list_room + found[2 * key];
                start = list_start[row] = at + 1;
                if (text[start] == ']') {
                    list_end[row] = start;
                    counts[row] = 0;
                    found[2 * key]++;
                } else {
                    open = key;
                    first = objects = found[2 * key + 1];
                }
            }
        }
    }
    if (open >= 0) return UNUSUAL;
    memcpy(rest + length, text + taken, (size_t)(size - taken));
    return length + size - taken;
}

/* The hands of a key in some lists, `'?'` being written over their cards in `text`. `word` is the key in its quotes, of
 * two bytes or more. `starts` and `lengths`, with room for so many, become those of the hands, `characters`, with room
 * for `size` bytes, what stood in them end to end. The number of hands is returned. UNUSUAL where one has `width` bytes
 * or more. */
int64_t fairdeal_hands(uint8_t *text, int64_t size, const uint8_t *word, int64_t word_size, int64_t width,
                       const int64_t *list_start, const int64_t *list_end, int64_t lists, int64_t room,
                       int64_t *starts, int64_t *lengths, uint8_t *characters) {
    if (word_size < 2 || width < 1 || width > WIDEST / 2) return REFUSED;
    int64_t hands = 0, list = 0, taken = 0;
    uint64_t carried = 0;
    uint8_t last = word[word_size - 1], last_but_one = word[word_size - 2];
    for (int64_t from = 0; from < size; from += STRIDE) {
        bytes64 some = stride(text, from);
        uint64_t befores = where(some, last_but_one);
        uint64_t marks = where(some, last) & (befores << 1 | carried);
        carried = befores >> (STRIDE - 1);
        for (; marks; marks &= marks - 1) {
            int64_t colon = from + __builtin_ctzll(marks) + 1;
            if (!ends(text, colon, word, word_size)) continue;
            while (list < lists && list_end[list] < colon) list++;
            if (list == lists) goto found;
            if (list_start[list] >= colon || text[colon] != ':') continue;
            int64_t quote = colon + 1 + (text[colon + 1] == ' ');
            if (text[quote] != '"') continue;
            int64_t start = quote + 1, length = 0;
            while (length < width && text[start + length] != '"') length++;
            if (length == width) return UNUSUAL;
            if (hands == room) return REFUSED;
            starts[hands] = start;
            lengths[hands] = length;
            hands++;
        }
    }
found: /* Only now: what is written over may be the key of another. */
    for (int64_t hand = 0; hand < hands; hand++) {
        memcpy(characters + taken, text + starts[hand], (size_t)lengths[hand]);
        memset(text + starts[hand], '?', (size_t)lengths[hand]);
        taken += lengths[hand];
    }
    return hands;
}

/* A table of texts of fewer than `across` times eight bytes: their rows, as `hash_table.py` makes them. */
struct table {
    const uint64_t *factors, *texts;
    const int64_t *codes;
    int64_t rows;
    const int32_t *slots;
    int64_t slot_count;
};

/* Stretches looked up together, so that the memory of one is fetched while another is worked on. */
enum { TOGETHER = 32 };

/* From `WIDEST - n` on: n bytes all ones, then zeros. */
static const uint8_t ONES[2 * WIDEST] = {[0 ... WIDEST - 1] = 255};

/* As `fairdeal_codes`, for a width that the compiler knows. */
static inline __attribute__((always_inline)) int64_t looked_up(const uint8_t *text, int64_t size, const int64_t *start,
                                                               const int64_t *end, int64_t count, int64_t narrowest,
                                                               const int64_t across, const struct table *table,
                                                               int64_t *found) {
    uint64_t words[TOGETHER][WIDEST / 8], hashes[TOGETHER];
    int64_t which[TOGETHER];
    int beyond = 64 - __builtin_ctzll((uint64_t)table->slot_count);
    for (int64_t one = 0; one < count;) {
        int64_t some = 0;
        for (; one < count && some < TOGETHER; one++) {
            int64_t length = end[one] - start[one];
            if (length < narrowest || length >= 8 * across) continue;
            if (start[one] < 0 || end[one] > size) return REFUSED;
            uint64_t *row = words[some], hash = 0;
            memcpy(row, text + start[one], (size_t)(8 * across));
            uint64_t masks[WIDEST / 8];
            memcpy(masks, ONES + WIDEST - length, (size_t)(8 * across));
            for (int64_t word = 0; word < across; word++) row[word] &= masks[word];
            row[across - 1] |= (uint64_t)length << 56;
            for (int64_t word = 0; word < across; word++) hash += row[word] * table->factors[word];
            hashes[some] = hash;
            which[some++] = one;
            __builtin_prefetch(table->slots + (hash >> beyond));
        }
        int32_t rows[TOGETHER];
        for (int64_t at = 0; at < some; at++) {
            rows[at] = table->slots[hashes[at] >> beyond];
            if (rows[at] < 0 || rows[at] >= table->rows) return REFUSED;
            __builtin_prefetch(table->texts + rows[at] * across);
        }
        for (int64_t at = 0; at < some; at++) {
            int64_t row = rows[at];
            if (memcmp(table->texts + row * across, words[at], (size_t)(8 * across))) {
                uint64_t mixed = (hashes[at] ^ hashes[at] >> 32) * table->factors[0];
                row = table->slots[mixed >> beyond];
                if (row < 0 || row >= table->rows) return REFUSED;
                if (memcmp(table->texts + row * across, words[at], (size_t)(8 * across))) row = 0;
            }
            found[which[at]] = table->codes[row];
        }
    }
    return 0;
}

/* The codes of those stretches of a text that have from `narrowest` to fewer than `width` bytes (64, 128 or 256), into
 * `found`, by a table: `texts` has `width` bytes a row, `codes` a number a row, `slots`, a power of two of them, the row
 * to look at for a hash, `factors` those of the hash, one for eight bytes. Those that are not there get the code of row
 * 0. Returns 0; REFUSED where a stretch lies outside of the text or a slot outside of the table. */
int64_t fairdeal_codes(const uint8_t *text, int64_t size, const int64_t *start, const int64_t *end, int64_t count,
                       int64_t narrowest, int64_t width, const uint64_t *factors, const uint64_t *texts,
                       const int64_t *codes, int64_t rows, const int32_t *slots, int64_t slot_count, int64_t *found) {
    struct table table = {factors, texts, codes, rows, slots, slot_count};
    if (narrowest < 1 || rows < 1 || slot_count < 2 || slot_count & (slot_count - 1)) return REFUSED;
    switch (width) {
    case 64: return looked_up(text, size, start, end, count, narrowest, 8, &table, found);
    case 128: return looked_up(text, size, start, end, count, narrowest, 16, &table, found);
    case 256: return looked_up(text, size, start, end, count, narrowest, 32, &table, found);
    default: return REFUSED;
    }
}
