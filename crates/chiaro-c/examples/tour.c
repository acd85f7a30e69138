// Compiles a shader, compares it, runs it over an array, links parts from a cache, and does what must not be done.
//
//   cc -I crates/chiaro-c/include crates/chiaro-c/examples/tour.c -L target/release -lchiaro -o tour && ./tour

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chiaro.h"

static int failures = 0;

static void expect(int is_so, const char *what) {
    if (!is_so) {
        fprintf(stderr, "not as expected: %s\n", what);
        failures++;
    }
}

static const char *const SHADER = "attribute vec4 position;\n"
                                  "void main() { gl_Position = position * 2.0; }\n";

static chiaro_file file(const char *name, const void *bytes, size_t size) {
    return (chiaro_file){.name = name, .bytes = bytes, .size = size};
}

static chiaro_question about(const char *target, const chiaro_file *files, size_t count) {
    return (chiaro_question){.target = target, .files = files, .file_count = count};
}

// Compiles for a target, and shows what the code takes of it.
static chiaro_answer *compile(const char *target) {
    chiaro_file source = file("scale.vert", SHADER, strlen(SHADER));
    chiaro_question question = about(target, &source, 1);
    chiaro_answer *answer = NULL;
    expect(chiaro_compile(&question, &answer) == CHIARO_DONE, "the shader compiles");
    size_t size = 0;
    const uint8_t *listing = chiaro_answer_part(answer, CHIARO_LISTING, &size);
    printf("%s:\n%.*s\n", target, (int)size, (const char *)listing);
    return answer;
}

// What doubling costs against handing on, and when its instructions issue: texts of JSON.
static void look(void) {
    const char *other = "attribute vec4 position;\nvoid main() { gl_Position = position; }\n";
    chiaro_file files[] = {file("plain.vert", other, strlen(other)), file("scale.vert", SHADER, strlen(SHADER))};
    chiaro_question question = about("a3xx", files, 2);
    chiaro_answer *answer = NULL;
    size_t size = 0;
    expect(chiaro_diff(&question, &answer) == CHIARO_DONE, "two shaders are compared");
    expect(chiaro_answer_part(answer, CHIARO_RESULT, &size) != NULL && size > 0, "there is a difference");
    chiaro_answer_free(answer);
    question = about("a3xx", files + 1, 1);
    expect(chiaro_timeline(&question, &answer) == CHIARO_DONE, "a shader has a timeline");
    expect(chiaro_answer_part(answer, CHIARO_RESULT, &size) != NULL && size > 0, "with events");
    chiaro_answer_free(answer);
}

// Runs the container over vertices that lie in an array.
static void simulate(const chiaro_answer *compiled) {
    enum { VERTICES = 1000 };
    float rows[VERTICES][4];
    for (int i = 0; i < VERTICES; i++)
        for (int k = 0; k < 4; k++)
            rows[i][k] = (float)(i + k);
    size_t size = 0;
    const uint8_t *bytes = chiaro_answer_part(compiled, CHIARO_RESULT, &size);
    chiaro_file container = file("scale.shbin", bytes, size);
    chiaro_question question = about("pica200", &container, 1);
    chiaro_column column = {.name = "position", .rows = &rows[0][0], .width = 4};
    chiaro_answer *run = NULL;
    expect(chiaro_simulate_columns(&question, &column, 1, VERTICES, 0, &run) == CHIARO_DONE, "it runs");
    chiaro_output output;
    expect(chiaro_answer_output(run, 0, &output) == CHIARO_DONE, "there is an output");
    float last;
    uint32_t bits = (uint32_t)output.bits[output.size - 1];
    memcpy(&last, &bits, sizeof last);
    printf("%s of vertex %d ends with %g\n", output.name, VERTICES - 1, last);
    expect(output.kind == CHIARO_FLOAT && last == 2.0f * (VERTICES - 1 + 3), "the last component is twice what it was");
    expect(chiaro_answer_output(run, 1, &output) == CHIARO_NO_SUCH_PART, "there is one output");
    chiaro_answer_free(run);
}

// Parts and programs come from memory of ours the second time.
static void make(void) {
    size_t size = 1 << 16;
    chiaro_cache cache = {.memory = calloc(size, 1), .size = size};
    const char *source = ".in x\n.out y position\n.proc main\nadd y, x, x\nend\n.end\n";
    chiaro_file part = file("twice.v.pica", source, strlen(source));
    chiaro_question question = about(NULL, &part, 1);
    uint8_t first[4096], second[4096];
    chiaro_buffer one = {.bytes = first, .capacity = sizeof first}, two = {.bytes = second, .capacity = sizeof second};
    expect(chiaro_make(CHIARO_ASSEMBLED, &question, &cache, &one, NULL) == CHIARO_DONE, "it is made");
    expect(chiaro_make(CHIARO_ASSEMBLED, &question, &cache, &two, NULL) == CHIARO_DONE, "it is known");
    expect(one.size == two.size && memcmp(first, second, one.size) == 0, "both are the same");
    uint32_t known, made, used;
    expect(chiaro_cache_counts(&cache, &known, &made, &used) == CHIARO_DONE && known == 1 && made == 1, "counts are right");
    printf("made %u, known %u, %u bytes of the cache used\n", made, known, used);
    free(cache.memory);
}

// What is wrong is a code, and a message with its place.
static void mistakes(void) {
    const char *wrong = "void main() { gl_Position = nothing; }\n";
    chiaro_file source = file("wrong.vert", wrong, strlen(wrong));
    chiaro_question question = about("pica200", &source, 1);
    chiaro_answer *answer = NULL;
    expect(chiaro_compile(&question, &answer) == CHIARO_WRONG_INPUT, "a wrong shader is refused");
    printf("%s", chiaro_answer_text(answer));
    expect(strstr(chiaro_answer_messages(answer), "\"line\":1") != NULL, "the message has its line");
    chiaro_answer_free(answer);

    expect(chiaro_compile(NULL, &answer) == CHIARO_NULL && answer == NULL, "null is a code");
    expect(chiaro_compile(&question, NULL) == CHIARO_NULL, "null for the answer is a code");
    question.target = "voodoo";
    expect(chiaro_compile(&question, &answer) == CHIARO_UNKNOWN_TARGET, "so is an unknown target");
    question.target = "\xff";
    expect(chiaro_compile(&question, &answer) == CHIARO_NOT_UTF8, "and a text that is none");
    const char *const options[] = {"--no-such-option"};
    question = about("pica200", &source, 1);
    question.options = options;
    question.option_count = 1;
    expect(chiaro_compile(&question, &answer) == CHIARO_WRONG_USAGE, "and an unknown option");
    printf("%s: %s", chiaro_status_text(CHIARO_WRONG_USAGE), chiaro_answer_text(answer));
    chiaro_answer_free(answer);
    uint8_t noise[64];
    memset(noise, 0xff, sizeof noise);
    source = file("noise.shbin", noise, sizeof noise);
    question = about("pica200", &source, 1);
    expect(chiaro_info(&question, &answer) == CHIARO_WRONG_INPUT, "and bytes that are no container");
    chiaro_buffer small = {.bytes = noise, .capacity = 1};
    expect(chiaro_answer_copy(answer, CHIARO_RESULT, &small) == CHIARO_NO_SUCH_PART, "which have no result");
    chiaro_answer_free(answer);
    chiaro_answer_free(NULL);
}

int main(void) {
    chiaro_answer *compiled = compile("pica200");
    chiaro_buffer small = {.bytes = NULL, .capacity = 0};
    expect(chiaro_answer_copy(compiled, CHIARO_RESULT, &small) == CHIARO_SHORT_BUFFER, "a short buffer is a code");
    printf("the container has %zu bytes\n", small.size);
    simulate(compiled);
    chiaro_answer_free(compiled);
    look();
    make();
    mistakes();
    if (failures == 0)
        puts("everything is as expected");
    return failures != 0;
}
