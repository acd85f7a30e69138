// Loads a code object and runs it with HIP: product.comp, compiled for an HSA runtime.
//
//   chiaro compile examples/rdna/product.comp --target rdna -m abi=hsa -o product.elf
//   ld.lld -shared product.elf -o product.hsaco
//   hipcc examples/rdna/host.cpp -o host && ./host product.hsaco
//
// Untested here: it needs a GPU of the gfx1030 family and ROCm, whose loader takes linked objects alone. What its launch
// rests on is what `chiaro dis product.elf` shows under `.args`: the order of the arguments, their bytes, and the size of
// a group.
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(hipError_t status, const char *what) {
    if (status != hipSuccess) {
        std::fprintf(stderr, "%s: %s\n", what, hipGetErrorString(status));
        std::exit(1);
    }
}

// The kernel's arguments as they lie in memory: push constants first, then buffers, which are addresses.
struct Arguments {
    uint32_t size;
    const float *left;
    const float *right;
    float *product;
};
static_assert(sizeof(Arguments) == 32 && offsetof(Arguments, left) == 8, "as .args says");

int main(int count, char **arguments) {
    const char *path = count > 1 ? arguments[1] : "product.hsaco";
    const uint32_t size = 256, tile = 16;
    const size_t bytes = size_t(size) * size * sizeof(float);
    std::vector<float> left(size * size), right(size * size), product(size * size);
    for (uint32_t n = 0; n < size * size; n++) {
        left[n] = float(n % 7) - 3.0f;
        right[n] = float(n % 5) * 0.25f;
    }

    hipModule_t module;
    hipFunction_t kernel;
    check(hipModuleLoad(&module, path), "the code object");
    check(hipModuleGetFunction(&kernel, module, "main"), "the kernel");

    Arguments given = {};
    check(hipMalloc((void **)&given.left, bytes), "memory");
    check(hipMalloc((void **)&given.right, bytes), "memory");
    check(hipMalloc((void **)&given.product, bytes), "memory");
    check(hipMemcpy((void *)given.left, left.data(), bytes, hipMemcpyHostToDevice), "the left matrix");
    check(hipMemcpy((void *)given.right, right.data(), bytes, hipMemcpyHostToDevice), "the right matrix");
    given.size = size;

    size_t length = sizeof given;
    void *launch[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &given, HIP_LAUNCH_PARAM_BUFFER_SIZE, &length,
                      HIP_LAUNCH_PARAM_END};
    // Groups, then threads of a group: those of the source.
    check(hipModuleLaunchKernel(kernel, size / tile, size / tile, 1, tile, tile, 1, 0, nullptr, nullptr, launch),
          "the launch");
    check(hipDeviceSynchronize(), "the run");
    check(hipMemcpy(product.data(), given.product, bytes, hipMemcpyDeviceToHost), "the product");

    for (uint32_t y = 0; y < size; y++) {
        for (uint32_t x = 0; x < size; x++) {
            double sum = 0.0;
            for (uint32_t n = 0; n < size; n++) sum += double(left[y * size + n]) * right[n * size + x];
            if (std::fabs(sum - product[y * size + x]) > 1e-3 * (1.0 + std::fabs(sum))) {
                std::fprintf(stderr, "row %u, column %u: %g, not %g\n", y, x, product[y * size + x], sum);
                return 1;
            }
        }
    }
    std::printf("%u x %u: every number is right\n", size, size);
    return 0;
}
